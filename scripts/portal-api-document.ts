/**
 * `node scripts/portal-api-document.ts [file]`: writes the OpenAPI document of the portal's calls with neutral names to the file or to
 * standard output. The types of the portal are generated from it. Needs no server.
 */
import { writeFileSync } from 'node:fs';
import { Names, NEUTRAL_NAMES } from '../src/domain/names.ts';
import { portalCalls } from '../src/http/portal-access/portal-addresses.ts';
import { PORTAL_ENDPOINTS } from '../src/http/portal-access/portal-routes.ts';
import { ENDPOINTS } from '../src/http/routes.ts';
import { createPortalDocument } from './portal-document.ts';

const calls = portalCalls(PORTAL_ENDPOINTS, ENDPOINTS);
const document = createPortalDocument(calls, new Names(NEUTRAL_NAMES), '');
const text = `${JSON.stringify(document, null, 2)}\n`;
const file = process.argv[2];
if (file === undefined) process.stdout.write(text);
else writeFileSync(file, text);
