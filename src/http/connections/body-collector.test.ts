/** Tests that unfinished bodies together stay within the memory budget, and that the largest is refused first. */
import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { BodyCollector, type CollectedBody } from './body-collector.ts';

const BYTES_MAX = 1000;

interface Sender {
  readonly stream: PassThrough;
  readonly got: () => string | undefined;
}

/** Allocates separate memory, like the chunks from Node's parser; a small text would share a pool. */
function ownBuffer(text: string): Buffer {
  return Buffer.from(new TextEncoder().encode(text).buffer);
}

function send(collector: BodyCollector, headers: Readonly<Record<string, string>> = {}): Sender {
  const stream = new PassThrough();
  let got: CollectedBody | undefined;
  collector.collect(Object.assign(stream, { headers }) as unknown as IncomingMessage, BYTES_MAX, (body) => {
    assert.equal(got, undefined, 'it was called back twice');
    got = body;
  });
  return { stream, got: () => got?.toString() };
}

async function write({ stream }: Sender, bytes: number): Promise<void> {
  stream.write(ownBuffer('x'.repeat(bytes)));
  await setImmediate();
}

async function end({ stream }: Sender): Promise<void> {
  stream.end();
  await setImmediate();
}

describe('a body', () => {
  it('arrives whole, in one piece or in pieces of a few bytes, and is refused if it has too many pieces', async () => {
    const collector = new BodyCollector(5000);
    const text = Array.from({ length: BYTES_MAX }, (_, n) => String.fromCharCode(97 + (n % 26))).join('');
    const [one, many, few, none] = [send(collector), send(collector), send(collector), send(collector)];
    for (let at = 0; at < text.length; at += 300) few.stream.write(ownBuffer(text.slice(at, at + 300)));
    one.stream.end(text);
    for (let at = 0; at < text.length; at += 4) many.stream.write(ownBuffer(text.slice(at, at + 4)));
    await Promise.all([one, many, few, none].map(end));
    assert.deepEqual([one.got(), many.got(), few.got(), none.got()], [text, text, text, '']);
    const tooMany = send(collector);
    // 256, plus one for each 256 bytes of the body limit.
    for (let n = 0; n < 259; n++) await write(tooMany, 1);
    assert.equal(tooMany.got(), undefined);
    await write(tooMany, 1);
    assert.equal(tooMany.got(), 'too_many_pieces');
  });

  it('is refused at once if its declared or actual size exceeds the limit', async () => {
    const collector = new BodyCollector(5000);
    assert.equal(send(collector, { 'content-length': '1001' }).got(), 'too_large');
    const growing = send(collector);
    await write(growing, BYTES_MAX);
    assert.equal(growing.got(), undefined);
    await write(growing, 1);
    assert.equal(growing.got(), 'too_large');
    await write(growing, BYTES_MAX);
    await end(growing);
  });
});

describe('bodies that are arriving', () => {
  it('are refused beyond the budget, the largest first, and among equals the oldest', async () => {
    const collector = new BodyCollector(1500);
    const [small, old, young] = [send(collector), send(collector), send(collector)];
    await write(small, 100);
    await write(old, 600);
    await write(young, 600);
    assert.deepEqual([small.got(), old.got(), young.got()], [undefined, undefined, undefined]);
    const next = send(collector);
    await write(next, 300);
    assert.deepEqual([small.got(), old.got(), young.got()], [undefined, 'overloaded', undefined]);
    await Promise.all([small, old, young, next].map(end));
    assert.deepEqual(
      [small, young, next].map((one) => one.got()?.length),
      [100, 600, 300],
    );
  });

  it('free their memory when they are complete or refused, or the client disconnects', async () => {
    const collector = new BodyCollector(BYTES_MAX);
    for (let round = 0; round < 5; round++) {
      const whole = send(collector);
      await write(whole, 900);
      await end(whole);
      assert.equal(whole.got()?.length, 900);
      const gone = send(collector);
      await write(gone, 900);
      gone.stream.destroy();
      await setImmediate();
      const large = send(collector);
      await write(large, 900);
      await write(large, 900);
      assert.equal(large.got(), 'too_large');
    }
  });

  it('release their memory at once when they are refused, the client disconnects, or a chunk is copied', async () => {
    const collector = new BodyCollector(2000);
    const [refused, gone, other] = [send(collector), send(collector), send(collector)];
    const pieces = [1000, 300, 400, 100].map((bytes) => ownBuffer('x'.repeat(bytes)));
    for (const [place, sender] of [refused, gone, other, other].entries()) sender.stream.write(pieces[place]);
    await setImmediate();
    assert.equal(refused.got(), 'overloaded');
    gone.stream.destroy();
    await end(other);
    assert.equal(other.got(), 'x'.repeat(500));
    assert.deepEqual(
      pieces.map(({ length }) => length),
      [0, 0, 0, 0],
    );
  });

  it('count the bytes received, not the bytes announced', async () => {
    const collector = new BodyCollector(BYTES_MAX);
    const announced = Array.from({ length: 50 }, () => send(collector, { 'content-length': '1000' }));
    for (const one of announced) await write(one, 10);
    assert.ok(announced.every((one) => one.got() === undefined));
    await Promise.all(announced.map(end));
  });
});
