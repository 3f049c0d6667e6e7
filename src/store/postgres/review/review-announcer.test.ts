/** Tests that the review of an account is announced at once, then at intervals, and never lost while the process lives. */
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { Database } from '../engine/engine.ts';
import { ReviewAnnouncer } from './review-announcer.ts';

/** `fails` selects the announcements, counted from 0, that fail. */
function recorded(t: TestContext, fails: (announcement: number) => boolean = () => false) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const announced: number[] = [];
  const database = {
    async run(_statement: unknown, [, accountId]: readonly number[]) {
      announced.push(accountId as number);
      if (fails(announced.length - 1)) throw new Error('no database');
      return [];
    },
  } as unknown as Database;
  const pass = async (elapsed_ms: number) => {
    await settled();
    t.mock.timers.tick(elapsed_ms);
    await settled();
  };
  return { announced, announcer: new ReviewAnnouncer(database), pass };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('announcements of reviews', () => {
  test('the first is sent at once; those that follow soon are combined into one last announcement', async (t) => {
    const { announced, announcer, pass } = recorded(t);
    announcer.note(7);
    assert.deepEqual(announced, [7]);
    for (let turn = 0; turn < 5; turn++) announcer.note(7);
    await pass(249);
    assert.deepEqual(announced, [7]);
    await pass(1);
    assert.deepEqual(announced, [7, 7]);
    await pass(250);
    assert.deepEqual(announced, [7, 7], 'nothing was marked since');
    announcer.note(7);
    assert.deepEqual(announced, [7, 7, 7], 'at once again');
  });

  test('accounts do not wait for each other', async (t) => {
    const { announced, announcer } = recorded(t);
    announcer.note(7);
    announcer.note(8);
    assert.deepEqual(announced, [7, 8]);
  });

  test('a failed announcement is retried with growing pauses until it succeeds', async (t) => {
    const { announced, announcer, pass } = recorded(t, (announcement) => announcement < 2);
    announcer.note(7);
    await pass(499);
    assert.deepEqual(announced, [7]);
    await pass(1);
    await pass(999);
    assert.deepEqual(announced, [7, 7]);
    await pass(1);
    await pass(60_000);
    assert.deepEqual(announced, [7, 7, 7]);
  });

  test('close sends pending announcements without a pause', async (t) => {
    const { announced, announcer } = recorded(t);
    announcer.note(7);
    announcer.note(8);
    announcer.note(7);
    await settled();
    await announcer.close();
    assert.deepEqual(announced, [7, 8, 7]);
  });

  test('close ends even if announcements keep failing', async (t) => {
    const { announced, announcer } = recorded(t, () => true);
    announcer.note(7);
    await settled();
    await announcer.close();
    assert.deepEqual(announced, [7, 7]);
  });
});
