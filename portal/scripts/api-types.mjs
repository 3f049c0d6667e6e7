// Makes src/api/schema.d.ts, the types of the portal's calls, from the OpenAPI document that the server makes of its
// route list. Nothing of it is in the pages that are built; only the type check needs it.

import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';

const script = fileURLToPath(new URL('../../scripts/portal-api-document.ts', import.meta.url));
const target = new URL('../src/api/schema.d.ts', import.meta.url);

const document = JSON.parse(
  execFileSync(process.execPath, [script], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }),
);
const types = await openapiTS(document, { alphabetize: true });
mkdirSync(new URL('.', target), { recursive: true });
writeFileSync(target, `/** Made by scripts/api-types.mjs; do not edit. */\n${astToString(types)}`);
