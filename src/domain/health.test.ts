/** Tests which figures need attention: at each threshold and just beyond. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkHealth, type HealthFigures } from './health.ts';

const NONE = { waiting: 0, oldest_ms: 0 };
const WELL: HealthFigures = {
  store: NONE,
  review: NONE,
  accountsMissing: 0,
  images: NONE,
  work: NONE,
  freeBytes: 5_368_709_120,
  freeBytesMin: 1_073_741_824,
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
      { name: 'Disk space', ok: true, detail: '5 GiB free.' },
    ]);
  });

  it('counts the accounts whose database node is down', () => {
    const advice = 'cannot be reached. Start the database node that is down.';
    const one = { ok: false, detail: `1 account with offers due for review ${advice}` };
    assert.deepEqual(check('Database nodes', { accountsMissing: 1 }), one);
    const two = { ok: false, detail: `2 accounts with offers due for review ${advice}` };
    assert.deepEqual(check('Database nodes', { accountsMissing: 2 }), two);
  });

  for (const [name, noun, field, seconds_max, shown, advice] of [
    ['Database', 'call', 'store', 2, '2 s', 'Check the database and its disk'],
    ['Review', 'offer', 'review', 900, '15 min', 'Start a server with the role all or worker'],
    ['Images', 'image', 'images', 900, '15 min', 'Check that the server can reach image hosts'],
    ['Background work', 'task', 'work', 900, '15 min', 'Start a server with the role all or worker'],
  ] as const) {
    it(`fails when the oldest entry of ${name} is older than ${seconds_max} s`, () => {
      assert.deepEqual(check(name, { [field]: { waiting: 1, oldest_ms: seconds_max * 1000 + 999 } }), {
        ok: true,
        detail: `1 ${noun} waiting, the oldest for ${shown}.`,
      });
      const late = seconds_max === 2 ? '3 s' : shown;
      assert.deepEqual(check(name, { [field]: { waiting: 2, oldest_ms: (seconds_max + 1) * 1000 } }), {
        ok: false,
        detail: `2 ${noun}s waiting, the oldest for ${late}. It should take at most ${shown}. ${advice}.`,
      });
    });
  }

  it('is not idle when offers have just become due, even if a process holds the lease', () => {
    const review = { waiting: 19_468, oldest_ms: 0 };
    assert.deepEqual(check('Review', { review }), { ok: true, detail: '19468 offers waiting, the oldest for 0 s.' });
    assert.deepEqual(check('Background work', { review }), { ok: true, detail: 'Running.' });
    assert.deepEqual(check('Background work', { images: review }), { ok: true, detail: 'Running.' });
  });

  it('fails when less disk space is free than uploads must leave', () => {
    assert.equal(check('Disk space', { freeBytes: 1_073_741_824 }).ok, true);
    assert.deepEqual(check('Disk space', { freeBytes: 1_073_741_823 }), {
      ok: false,
      detail: '1,023.9 MiB free. Uploads are refused below 1 GiB. Free some space.',
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
