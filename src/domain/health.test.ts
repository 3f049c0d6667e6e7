/** What needs a person: each bound, and one beyond. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkHealth, type HealthFigures } from './health.ts';

const WELL: HealthFigures = {
  storeOldestWait_ms: 0,
  reviewOldestDue_ms: 0,
  accountsMissing: 0,
  imagesOldestWait_ms: 0,
  work: [],
  freeBytes: 5_000_000_000,
  freeBytesMin: 1_000_000_000,
  certificateLeft_ms: undefined,
};
const DAY_MS = 86_400_000;

function check(name: string, figures: Partial<HealthFigures>) {
  const { ok, detail } = checkHealth({ ...WELL, ...figures }).find((one) => one.name === name) ?? {};
  return { ok, detail };
}

describe('health', () => {
  it('is good when nothing waits', () => {
    const nothing = { ok: true, detail: 'Nothing waits.' };
    assert.deepEqual(checkHealth(WELL), [
      { name: 'Store', ...nothing },
      { name: 'Review', ...nothing },
      { name: 'Images', ...nothing },
      { name: 'Background work', ...nothing },
      { name: 'Room for files', ok: true, detail: '5.0 GB are free.' },
    ]);
  });

  it('names the accounts that a database node keeps from being counted', () => {
    const advice = 'unavailable: start the database node that is down.';
    const one = { ok: false, detail: `1 account with due offers is ${advice}` };
    assert.deepEqual(check('Database nodes', { accountsMissing: 1 }), one);
    const two = { ok: false, detail: `2 accounts with due offers are ${advice}` };
    assert.deepEqual(check('Database nodes', { accountsMissing: 2 }), two);
  });

  for (const [name, field, seconds_max, advice] of [
    ['Store', 'storeOldestWait_ms', 2, 'see its disk, or the database'],
    ['Review', 'reviewOldestDue_ms', 900, 'start a server with the role all or worker'],
    ['Images', 'imagesOldestWait_ms', 900, 'see whether image hosts can be reached'],
  ] as const) {
    it(`lets the oldest of ${name} wait for ${seconds_max} s, and no longer`, () => {
      assert.deepEqual(check(name, { [field]: seconds_max * 1000 + 999 }), {
        ok: true,
        detail: `The oldest waits for ${seconds_max} s.`,
      });
      assert.deepEqual(check(name, { [field]: (seconds_max + 1) * 1000 }), {
        ok: false,
        detail: `The oldest waits for ${seconds_max + 1} s, more than ${seconds_max} s: ${advice}.`,
      });
    });
  }

  it('goes by the oldest of all kinds of background work', () => {
    const work = [
      { kind: 'review', oldestDue_ms: 0 },
      { kind: 'housekeeping', oldestDue_ms: 901_000 },
    ];
    assert.equal(check('Background work', { work }).ok, false);
    assert.equal(check('Background work', { work: work.slice(0, 1) }).ok, true);
  });

  it('wants as much room for files as uploads leave', () => {
    assert.equal(check('Room for files', { freeBytes: 1_000_000_000 }).ok, true);
    assert.deepEqual(check('Room for files', { freeBytes: 999_999_999 }), {
      ok: false,
      detail: '1.0 GB are free, and uploads are refused below 1.0 GB: make room.',
    });
  });

  it('wants a certificate that is valid for 14 days', () => {
    assert.deepEqual(check('Certificate', { certificateLeft_ms: 14 * DAY_MS }), {
      ok: true,
      detail: 'It is valid for 14 days.',
    });
    assert.deepEqual(check('Certificate', { certificateLeft_ms: 14 * DAY_MS - 1 }), {
      ok: false,
      detail: 'It expires in 13 days: renew it.',
    });
    assert.deepEqual(check('Certificate', { certificateLeft_ms: 0 }), {
      ok: false,
      detail: 'It has expired: renew it.',
    });
  });
});
