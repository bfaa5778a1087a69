/** The address of what is shown: it stands behind `#`, so no server and no log sees it, and reload, back and links work. */
import { useEffect, useState } from "./view.js";

/** The parts of the path, decoded. */
export function addressNow() {
  return location.hash.replace(/^#\/?/, "").split("/").filter((part) => part !== "").map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return "";
    }
  });
}

let moved = false;

/** Somebody went elsewhere since this was asked last. */
export function movedOnce() {
  const before = moved;
  moved = false;
  return before;
}

export function useAddress() {
  const [address, setAddress] = useState(addressNow());
  useEffect(() => {
    function changed() {
      moved = true;
      setAddress(addressNow());
    }
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return address;
}

/** As useState, of the view at this address: a reload and the way back find it as it was. */
export function useKept(name, initial) {
  const [value, setValue] = useState(() => history.state?.[name] ?? initial);
  function keep(next) {
    history.replaceState({ ...history.state, [name]: next }, "");
    setValue(next);
  }
  return [value, keep];
}

export function addressOf(...parts) {
  return `#/${parts.map(encodeURIComponent).join("/")}`;
}

export function go(...parts) {
  location.hash = addressOf(...parts);
}
