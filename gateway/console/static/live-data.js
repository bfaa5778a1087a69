/** Data that is asked for once, or again and again while somebody looks; it knows how old it is. */
import { ask } from "./ask.js";
import { useCallback, useEffect, useRef, useState } from "./view.js";

/**
 * `{ data, at, error, again }`: the last answer, when it came, and why there is none since. Asks anew when `question` changes, and every
 * `everyMs` where that is given, while the page can be seen. Without a `call` nothing is asked.
 */
export function useAsked(call, { body, everyMs } = {}) {
  const question = JSON.stringify([call, body]);
  const [state, setState] = useState({});
  const [round, setRound] = useState(0);
  const latest = useRef(question);
  latest.current = question;
  useEffect(() => {
    if (call === undefined) return undefined;
    let timer;
    const stop = new AbortController();
    async function look() {
      // The first answer is there when somebody comes to a tab that was opened in the background
      if (timer === undefined || !document.hidden) {
        try {
          const data = await ask(call, body, { signal: stop.signal });
          if (latest.current === question && !stop.signal.aborted) setState({ question, data, at: Date.now() });
        } catch (error) {
          if (!stop.signal.aborted) setState((before) => ({ ...(before.question === question ? before : { question }), error }));
        }
      }
      if (everyMs !== undefined && !stop.signal.aborted) timer = setTimeout(look, everyMs);
    }
    void look();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [question, everyMs, round]);
  const again = useCallback(() => setRound((before) => before + 1), []);
  return { ...(state.question === question ? state : {}), again };
}

/** Something a person asks for by a button: `{ run, busy, error, done }`. */
export function useAction(act) {
  const [state, setState] = useState({});
  async function run(...details) {
    setState({ busy: true });
    try {
      const done = await act(...details);
      setState({ done: done ?? true });
      return done;
    } catch (error) {
      setState({ error });
      return undefined;
    }
  }
  return { ...state, run, reset: () => setState({}) };
}
