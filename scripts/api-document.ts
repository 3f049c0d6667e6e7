/**
 * `node scripts/api-document.ts`: prints the OpenAPI document with neutral names, as the types of the client package need it. It leaves out
 * the responses of refused calls, which all have the same body. 64-bit integers are the constant `int64`.
 */
import { Names, NEUTRAL_NAMES } from '../src/domain/names.ts';
import { createOpenApiDocument } from '../src/http/openapi/document.ts';
import { ENDPOINTS } from '../src/http/routes.ts';

const document = createOpenApiDocument(ENDPOINTS, new Names(NEUTRAL_NAMES), 'http://127.0.0.1:8080');
const text = JSON.stringify(document, (key, value) => {
  if (key === 'responses') return Object.fromEntries(Object.entries(value).filter(([status]) => !/^[45]/.test(status)));
  return value?.format === 'int64' ? { description: value.description, const: 'int64' } : value;
});
process.stdout.write(text);
