// Starts Swagger UI in the browser. It is a separate file because the page's policy forbids inline scripts.

/** Creates a code sample for a request as it is sent. */
function typescriptSample(request) {
  const { url, method, headers, body } = partsOf(request);
  const lines = [`  method: ${JSON.stringify(method)},`];
  if (headers.length > 0) lines.push(`  headers: ${objectText(headers)},`);
  if (body !== undefined) lines.push(`  body: ${JSON.stringify(body)},`);
  return [
    `const response = await fetch(${JSON.stringify(url)}, {`,
    ...lines,
    '});',
    'console.log(response.status, await response.text());',
  ].join('\n');
}

function pythonSample(request) {
  const { url, method, headers, body } = partsOf(request);
  const lines = [`    ${JSON.stringify(url)},`, `    method=${JSON.stringify(method)},`];
  if (headers.length > 0) lines.push(`    headers=${objectText(headers)},`);
  if (body !== undefined) lines.push(`    data=${JSON.stringify(body)}.encode(),`);
  return [
    'from urllib.request import Request, urlopen',
    '',
    'request = Request(',
    ...lines,
    ')',
    'with urlopen(request) as response:',
    '    print(response.status, response.read().decode())',
  ].join('\n');
}

function partsOf(request) {
  const body = request.get('body');
  return {
    url: request.get('url'),
    method: request.get('method'),
    headers: [...(request.get('headers')?.entries() ?? [])],
    body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
  };
}

/** Formats an object in the syntax that TypeScript and Python share. */
function objectText(entries) {
  return `{ ${entries.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`).join(', ')} }`;
}

/** Sends calls to the host of this page, whatever name the document has for the server. */
function withThisServer(updateJsonSpec) {
  const url = new URL('..', window.location.href).href.replace(/\/$/, '');
  return (document) => updateJsonSpec({ ...document, servers: [{ url }] });
}

SwaggerUIBundle({
  dom_id: '#swagger-ui',
  url: new URL('../openapi.json', window.location.href).href,
  deepLinking: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  // Keeps the token when the page is reloaded.
  persistAuthorization: true,
  requestSnippetsEnabled: true,
  requestSnippets: {
    generators: {
      curl_bash: { title: 'curl', syntax: 'bash' },
      typescript: { title: 'TypeScript', syntax: 'javascript' },
      python: { title: 'Python', syntax: 'python' },
    },
    languages: ['curl_bash', 'typescript', 'python'],
  },
  plugins: [
    { fn: { requestSnippetGenerator_typescript: typescriptSample, requestSnippetGenerator_python: pythonSample } },
    { statePlugins: { spec: { wrapActions: { updateJsonSpec: withThisServer } } } },
  ],
  // Turns off Swagger's validation service, which would receive the address of the document.
  validatorUrl: null,
});
