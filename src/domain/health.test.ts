/** Tests which figures need a person: each bound, and one beyond. */
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
    const nothing = { ok: true, detail: 'Idle.' };
    assert.deepEqual(checkHealth(WELL), [
      { name: 'Database', ...nothing },
      { name: 'Review', ...nothing },
      { name: 'Images', ...nothing },
      { name: 'Background work', ...nothing },
      { name: 'Disk space', ok: true, detail: '5.0 GB free.' },
    ]);
  });

  it('counts the accounts whose database node is down', () => {
    const advice = 'unavailable. Start the database node that is down.';
    const one = { ok: false, detail: `1 account with due offers ${advice}` };
    assert.deepEqual(check('Database nodes', { accountsMissing: 1 }), one);
    const two = { ok: false, detail: `2 accounts with due offers ${advice}` };
    assert.deepEqual(check('Database nodes', { accountsMissing: 2 }), two);
  });

  for (const [name, field, seconds_max, advice] of [
    ['Database', 'storeOldestWait_ms', 2, 'check the database and its disk'],
    ['Review', 'reviewOldestDue_ms', 900, 'start a server with the role all or worker'],
    ['Images', 'imagesOldestWait_ms', 900, 'check that the server can reach image hosts'],
  ] as const) {
    it(`fails when the oldest entry of ${name} is older than ${seconds_max} s`, () => {
      assert.deepEqual(check(name, { [field]: seconds_max * 1000 + 999 }), {
        ok: true,
        detail: `The oldest entry is ${seconds_max} s old.`,
      });
      assert.deepEqual(check(name, { [field]: (seconds_max + 1) * 1000 }), {
        ok: false,
        detail: `The oldest entry is ${seconds_max + 1} s old (limit ${seconds_max} s): ${advice}.`,
      });
    });
  }

  it('uses the oldest of all kinds of background work', () => {
    const work = [
      { kind: 'review', oldestDue_ms: 0 },
      { kind: 'housekeeping', oldestDue_ms: 901_000 },
    ];
    assert.equal(check('Background work', { work }).ok, false);
    assert.equal(check('Background work', { work: work.slice(0, 1) }).ok, true);
  });

  it('fails when less disk space is free than uploads must leave', () => {
    assert.equal(check('Disk space', { freeBytes: 1_000_000_000 }).ok, true);
    assert.deepEqual(check('Disk space', { freeBytes: 999_999_999 }), {
      ok: false,
      detail: '1.0 GB free. Uploads are refused below 1.0 GB. Free some space.',
    });
  });

  it('fails when the certificate expires within 14 days', () => {
    assert.deepEqual(check('Certificate', { certificateLeft_ms: 14 * DAY_MS }), {
      ok: true,
      detail: 'Valid for 14 days.',
    });
    assert.deepEqual(check('Certificate', { certificateLeft_ms: 14 * DAY_MS - 1 }), {
      ok: false,
      detail: 'Expires in 13 days. Renew it.',
    });
    assert.deepEqual(check('Certificate', { certificateLeft_ms: 0 }), {
      ok: false,
      detail: 'Expired. Renew it.',
    });
  });
});
