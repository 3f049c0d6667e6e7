/** Tests that responses of one tick are sent together, in order, up to 32 at a time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Outbox } from './outbox.ts';

test('responses added in one tick are sent at its end, in order', async () => {
  const sent: number[] = [];
  const outbox = new Outbox<number>((item) => sent.push(item));
  outbox.add(1);
  outbox.add(2);
  await Promise.resolve().then(() => outbox.add(3));
  assert.deepEqual(sent, []);
  await turn();
  assert.deepEqual(sent, [1, 2, 3]);
  outbox.add(4);
  await turn();
  assert.deepEqual(sent, [1, 2, 3, 4]);
});

test('32 responses are sent immediately, the next one at the end of the tick', async () => {
  const sent: number[] = [];
  const outbox = new Outbox<number>((item) => sent.push(item));
  for (let item = 1; item <= 31; item++) outbox.add(item);
  assert.equal(sent.length, 0);
  outbox.add(32);
  assert.equal(sent.length, 32);
  outbox.add(33);
  assert.equal(sent.length, 32);
  await turn();
  assert.deepEqual(
    sent,
    Array.from({ length: 33 }, (_, place) => place + 1),
  );
});

test('a response added while others are sent goes after them', async () => {
  const sent: string[] = [];
  const outbox = new Outbox<string>((item) => {
    sent.push(item);
    if (item === 'a') outbox.add('again');
  });
  outbox.add('a');
  outbox.add('b');
  await turn();
  assert.deepEqual(sent, ['a', 'b']);
  await turn();
  assert.deepEqual(sent, ['a', 'b', 'again']);
});
