/** A page of our own words for a person who opened a link: it loads and runs nothing, and is readable on a phone, in dark and light. */

/** `heading` is plain text, `content` HTML. */
export function personPage(heading: string, content: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${heading}</title>
<style>${style}</style></head>
<body><main>
<h1>${heading}</h1>
${content}
</main></body></html>
`;
}

const style = `
:root{color-scheme:light dark;--ink:#1b1b1f;--paper:#fff;--act:#1d4ed8;--on-act:#fff}
@media (prefers-color-scheme:dark){:root{--ink:#f2f2f5;--paper:#17171a;--act:#9db7ff;--on-act:#10131c}}
body{margin:0;background:var(--paper);color:var(--ink);font:1.0625rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
main{max-width:36rem;margin:0 auto;padding:2rem 1.25rem 3rem}
h1{font-size:1.625rem;line-height:1.25;margin:0 0 .75rem}
strong{unicode-bidi:plaintext}
button{font:inherit;font-weight:600;padding:.5rem 2rem;border:0;border-radius:.5rem;background:var(--act);color:var(--on-act);cursor:pointer}
:focus-visible{outline:3px solid var(--act);outline-offset:3px}
`;
