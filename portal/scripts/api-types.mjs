// Makes src/api/schema.d.ts, the types of the portal's calls, from the OpenAPI document that the server makes of its
// route list, and the same for the client package. Nothing of it is in what is built; only the type checks need it.

import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';

await writeTypes('portal-api-document.ts', '../src/api/schema.d.ts');
await writeTypes('api-document.ts', '../../client/src/schema.d.ts');

async function writeTypes(script, file) {
  const path = fileURLToPath(new URL(`../../scripts/${script}`, import.meta.url));
  const target = new URL(file, import.meta.url);
  const document = execFileSync(process.execPath, [path], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  const types = await openapiTS(JSON.parse(document), { alphabetize: true });
  mkdirSync(new URL('.', target), { recursive: true });
  const text = astToString(types).replaceAll('"int64"', '(number | bigint)');
  // Moved into place, because a compiler may read the file at this moment.
  const draft = new URL(`${file}.${process.pid}`, import.meta.url);
  writeFileSync(draft, `/** Made by portal/scripts/api-types.mjs; do not edit. */\n${text}`);
  renameSync(draft, target);
}
