// Writes requests as code that can be copied: curl, TypeScript and Python. Runs in the browser.

/** Stands for the token in requests that were not sent. The code reads it from the environment. */
const TOKEN_HEADER = 'Bearer $TOKEN';

export const LANGUAGES = Object.freeze({ curl: curlSample, TypeScript: typescriptSample, Python: pythonSample });

/** Returns the example request of a call, from the examples of the OpenAPI document. A file is sent from `file`. */
export function exampleRequest({ paths, servers }, path, method) {
  const { parameters, requestBody, security } = paths[path][method];
  const inQuery = parameters.filter((one) => one.in === 'query' && one.required);
  const query = new URLSearchParams(inQuery.map(({ name, example }) => [name, example])).toString();
  const filled = path.replace(/\{(\w+)\}/g, (_mark, name) => {
    return encodeURIComponent(parameters.find((one) => one.name === name).example);
  });
  const [[type, { schema, example, examples = {} }] = ['', {}]] = Object.entries(requestBody?.content ?? {});
  const headers = [
    ...(security.length === 0 ? [] : [['Authorization', TOKEN_HEADER]]),
    ...(type === '' ? [] : [['Content-Type', type]]),
  ];
  const request = { method: method.toUpperCase(), url: `${servers[0].url}${filled}${query && `?${query}`}`, headers };
  if (schema?.format === 'binary') return { ...request, file: 'file.json' };
  const body = example ?? Object.values(examples)[0]?.value;
  return body === undefined ? request : { ...request, body: JSON.stringify(body, null, 2) };
}

function curlSample({ method, url, headers, body, file }) {
  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  const lines = [`curl -X ${method} ${quoted(url)}`];
  for (const [name, value] of headers) {
    lines.push(`  -H ${value === TOKEN_HEADER ? `"${name}: ${value}"` : quoted(`${name}: ${value}`)}`);
  }
  if (body !== undefined) lines.push(`  --data-raw ${quoted(body)}`);
  if (file !== undefined) lines.push(`  --data-binary @${file}`);
  return lines.join(' \\\n');
}

function typescriptSample({ method, url, headers, body, file }) {
  const token = [JSON.stringify(TOKEN_HEADER), `\`Bearer \${process.env.TOKEN}\``];
  const lines = [`  method: ${JSON.stringify(method)},`];
  if (headers.length > 0) lines.push(`  headers: ${objectText(headers).replace(...token)},`);
  if (body !== undefined) lines.push(`  body: ${objectBody(body) ?? JSON.stringify(body)},`);
  if (file !== undefined) lines.push(`  body: await readFile(${JSON.stringify(file)}),`);
  return [
    ...(file === undefined ? [] : ["import { readFile } from 'node:fs/promises';", '']),
    `const response = await fetch(${JSON.stringify(url)}, {`,
    ...lines,
    '});',
    'console.log(response.status, await response.text());',
  ].join('\n');
}

function pythonSample({ method, url, headers, body, file }) {
  const hasToken = headers.some(([, value]) => value === TOKEN_HEADER);
  const token = [JSON.stringify(TOKEN_HEADER), '"Bearer " + os.environ["TOKEN"]'];
  const lines = [`    ${JSON.stringify(url)},`, `    method=${JSON.stringify(method)},`];
  if (headers.length > 0) lines.push(`    headers=${objectText(headers).replace(...token)},`);
  if (body !== undefined)
    lines.push(`    data=${body.includes("'''") ? JSON.stringify(body) : `r'''${body}'''`}.encode(),`);
  if (file !== undefined) lines.push(`    data=open(${JSON.stringify(file)}, "rb").read(),`);
  return [
    ...(hasToken ? ['import os'] : []),
    'from urllib.request import Request, urlopen',
    '',
    'request = Request(',
    ...lines,
    ')',
    'with urlopen(request) as response:',
    '    print(response.status, response.read().decode())',
  ].join('\n');
}

/** Returns an expression for a body that is formatted JSON; undefined for every other, such as one with integers that would be rounded. */
function objectBody(body) {
  try {
    const isSame = JSON.stringify(JSON.parse(body), null, 2) === body;
    return isSame ? `JSON.stringify(${body.replaceAll('\n', '\n  ')})` : undefined;
  } catch {
    return undefined;
  }
}

/** Formats an object in the syntax that TypeScript and Python share. */
function objectText(entries) {
  return `{ ${entries.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`).join(', ')} }`;
}
