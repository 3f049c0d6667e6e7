/** Tests the lines that `npm start` prints. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { addressLines } from './welcome.ts';

it('says where the portal is, or that it is not built, and where the server listens if that differs', () => {
  const others = ['API            http://h:1', 'Docs           http://h:1/docs/', 'API reference  http://h:1/docs/api'];
  assert.deepEqual(addressLines('http://h:1', 'http://h:1', true), [...others, 'Portal         http://h:1/portal/']);
  const missing = 'Portal         http://h:1/portal/ (not built yet)';
  assert.deepEqual(addressLines('http://h:1', 'http://h:1', false), [...others, missing]);
  const [, , , , listening] = addressLines('http://h:1', 'http://127.0.0.1:2', true);
  assert.equal(listening, 'Listening on   http://127.0.0.1:2');
});
