/** The page /docs/try in the browser: every call, sent from here. */
globalThis.ui = globalThis.SwaggerUIBundle({
  url: "/openapi.json",
  domNode: document.querySelector("#swagger"),
  presets: [globalThis.SwaggerUIBundle.presets.apis],
  layout: "BaseLayout",
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: -1,
  defaultModelExpandDepth: 3,
  displayRequestDuration: true,
  filter: true,
  tryItOutEnabled: true,
  persistAuthorization: false,
  // Colouring dozens of examples costs seconds on a phone
  syntaxHighlight: false,
  validatorUrl: null,
});

// The dialog has a field for each kind of key, and the last one takes the cursor; what is pasted is meant for the first
document.addEventListener("click", ({ target }) => {
  if (!target.closest(".auth-wrapper, .authorization__btn")) return;
  requestAnimationFrame(() => document.querySelector(".auth-container input")?.focus());
});
