// Starts Swagger UI in the browser. It is a separate file because the page's policy forbids inline scripts.

let openApi;
/** The list of calls and the code samples are part of the built documentation. Without it, Swagger UI is shown as it is. */
const reference = await import('../assets/reference.js').catch(() => undefined);

/** Sends calls to the host of this page, whatever name the document has for the server. */
function withThisServer(updateJsonSpec) {
  const url = new URL('..', window.location.href).href.replace(/\/$/, '');
  return (document) => {
    openApi = { ...document, servers: [{ url }] };
    return updateJsonSpec(openApi);
  };
}

/** Uses the token of a successful `POST /token` for the next calls. */
function keepToken(response) {
  if (response.ok && new URL(response.url).pathname.endsWith('/token')) {
    const schema = openApi.components.securitySchemes.bearer;
    const value = JSON.parse(response.text).id_token;
    ui.authActions.authorizeWithPersistOption({ bearer: { name: 'bearer', schema, value } });
  }
  return response;
}

const ui = SwaggerUIBundle({
  dom_id: '#swagger-ui',
  url: document.getElementById('document').href,
  deepLinking: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  defaultModelsExpandDepth: 0,
  // Keeps the token when the page is reloaded.
  persistAuthorization: true,
  requestSnippetsEnabled: true,
  requestSnippets: {
    generators: {
      curl_bash: { title: 'curl', syntax: 'bash' },
      ...(reference && {
        typescript: { title: 'TypeScript', syntax: 'javascript' },
        python: { title: 'Python', syntax: 'python' },
      }),
    },
    languages: ['curl_bash', ...(reference ? ['typescript', 'python'] : [])],
  },
  plugins: [
    ...(reference ? [reference.referencePlugin(() => openApi)] : []),
    { statePlugins: { spec: { wrapActions: { updateJsonSpec: withThisServer } } } },
  ],
  responseInterceptor: keepToken,
  onComplete: () => reference?.listCalls(ui, openApi),
  // Turns off Swagger's validation service, which would receive the address of the document.
  validatorUrl: null,
});
