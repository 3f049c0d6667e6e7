/** Tests rule changes with a date: they wait, are moved and cancelled, apply by themselves, and are undone; on both databases. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createReadyDatabase } from '../../src/store/postgres/testing/test-database.ts';
import { minimalSku } from '../harness/api-client.ts';
import { withOfferbook, withSetupStore } from '../harness/own-server.ts';
import { waitToSee } from '../harness/portal-browser.ts';
import { PortalClient } from '../harness/portal-client.ts';
import { createPlace } from '../harness/store-place.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { STORE_VARIANTS } from '../harness/variants.ts';

interface Announced {
  readonly id: number;
  readonly by: string;
  readonly act: string;
  readonly subject: string;
  readonly enforced_from: string;
  readonly state: string;
  readonly settled: string | null;
  readonly settled_by: string | null;
  readonly restorable: boolean;
  readonly failing: readonly { readonly at: string; readonly offers: number }[];
  readonly impact: { readonly offers: number } | null;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const BRAND = 'Announced & Söhne';
const EXCLUSION = { kind: 'excluded_brand', brand: BRAND };

for (const { store: kind, skip } of STORE_VARIANTS) {
  describe(`portal: announced changes of rules (${kind})`, { skip }, () => {
    let server: TestServer;
    let operator: PortalClient;
    let admin: PortalClient;
    let passed_ms = 0;

    before(async () => {
      server = await startTestServer({}, kind);
      await signIn();
      const sku = { ...minimalSku(), brand: BRAND };
      await admin.accepted('PUT', '/live/merchant-skus/announced', sku);
      await admin.accepted('PUT', '/live/merchant-skus/announced/price', { price: 5 });
      await waitFor('Available For Purchase');
    });
    after(() => server.close());

    async function signIn() {
      operator = await PortalClient.signIn(server, 'operator');
      admin = await PortalClient.signIn(server, 'merchant-admin');
    }

    /** Sessions end meanwhile. */
    async function passTime(ms: number): Promise<void> {
      passed_ms += ms;
      server.passTime(ms);
      await signIn();
    }

    /** A time after the server's present. */
    const ahead = (ms: number) => new Date(Date.now() + passed_ms + ms).toISOString();
    const dated = (path: string, date: string) => `${path}?enforced_from=${encodeURIComponent(date)}`;
    const statusOf = async () => (await admin.found<{ status: string }>('GET', '/live/merchant-skus/announced')).status;
    const waitFor = (status: string) => waitToSee(status, async () => (await statusOf()) === status || undefined);
    const listed = async () => (await operator.found<{ changes: Announced[] }>('GET', '/announced-changes')).changes;
    const policies = async () => (await operator.found<{ policies: unknown[] }>('GET', '/policies')).policies;
    const newest = async () => {
      const all = await listed();
      return all.reduce((one, other) => (other.id > one.id ? other : one), all[0] ?? assert.fail());
    };

    it('must be a date and time at least 1 hour and at most 730 days ahead', async () => {
      const form = 'must be a date and time with its offset from UTC, such as 2030-03-01T00:00:00Z';
      for (const [date, fault] of [
        ['2031-02-30T00:00:00Z', form],
        ['2031-03-01', form],
        ['2031-03-01T00:00:00', form],
        ['tomorrow', form],
        [ahead(HOUR_MS - 60_000), 'must be at least 1 hour ahead'],
        [ahead(730 * DAY_MS + 60_000), 'must be at most 730 days ahead'],
      ] as const) {
        const problem = ['query_invalid', '', `enforced_from: ${fault}.`] as const;
        await operator.refused('POST', dated('/policies', date), EXCLUSION, [problem]);
        await operator.refused('PUT', dated('/announced-changes/1/date', date), undefined, [problem]);
      }
      for (const [method, path] of [
        ['PUT', '/catalog'],
        ['POST', '/rule-changes/1/undo'],
      ] as const) {
        const body = method === 'PUT' ? { environment: 'live', code: 'B000000007', brand: 'x' } : undefined;
        await operator.refused(method, dated(path, ahead(DAY_MS)), body, [
          ['query_invalid', '', 'enforced_from: this change has no date.'],
        ]);
      }
      assert.deepEqual([await listed(), await policies()], [[], []]);
    });

    it('a preview with a date announces nothing', async () => {
      const path = `${dated('/policies', ahead(DAY_MS))}&preview=true`;
      const { impact } = await operator.found<{ impact: { offers: number } }>('POST', path, EXCLUSION);
      assert.equal(impact.offers, 1);
      assert.deepEqual(await listed(), []);
    });

    it('waits for its date, applies by itself, and is undone', async () => {
      const date = ahead(HOUR_MS + 60_000);
      const answer = await operator.found<{ enforced_from: string }>('POST', dated('/policies', date), EXCLUSION);
      assert.equal(answer.enforced_from, date);
      const { id, impact, ...change } = await newest();
      assert.deepEqual(change, {
        ...change,
        act: 'addPolicy',
        subject: `Excluded brand: ${BRAND}`,
        enforced_from: date,
        state: 'announced',
        settled: null,
        settled_by: null,
      });
      assert.equal(impact?.offers, 1);
      assert.deepEqual(await policies(), []);
      const { acts } = await operator.found<{ acts: { act: string; detail: string }[] }>('GET', '/acts?limit=1');
      assert.deepEqual(
        acts.map(({ act, detail }) => [act, detail]),
        [['addPolicy', `kind: excluded_brand, enforced from ${date}`]],
      );
      await passTime(2 * HOUR_MS);
      await waitFor('Excluded');
      const applied = await newest();
      assert.deepEqual([applied.id, applied.state, applied.settled_by], [id, 'applied', null]);
      const { changes } = await operator.found<{ changes: { id: number; act: string }[] }>('GET', '/rule-changes');
      assert.equal(changes[0]?.act, 'addPolicy');
      await operator.found('POST', `/rule-changes/${changes[0]?.id}/undo`);
      await waitFor('Available For Purchase');
      for (const path of [dated(`/announced-changes/${id}/date`, ahead(DAY_MS)), `/announced-changes/${id}/cancel`]) {
        const method = path.includes('date') ? 'PUT' : 'POST';
        await operator.refused(method, path, undefined, [
          ['change_settled', '', 'This change was already applied or cancelled.'],
        ]);
      }
    });

    it('filters the offers of merchants and operators, their count and their export', async () => {
      await operator.found('POST', dated('/policies', ahead(2 * DAY_MS)), EXCLUSION);
      const { id } = await newest();
      await waitToSee('the warning', async () => {
        const { changes } = await admin.found<{ changes: { offers: number }[] }>('GET', '/live/requirements/upcoming');
        return changes[0]?.offers === 1 || undefined;
      });
      await admin.accepted('PUT', '/live/merchant-skus/other', minimalSku());
      for (const upcoming of ['yes', id]) {
        const query = `upcoming=${upcoming}`;
        for (const [person, path] of [
          [admin, '/live/offers'],
          [operator, '/offers'],
        ] as const) {
          const { offers } = await person.found<{ offers: { sku: string }[] }>('GET', `${path}?${query}`);
          assert.deepEqual(
            offers.map(({ sku }) => sku),
            ['announced'],
          );
        }
        assert.deepEqual(await admin.found('GET', `/live/offers/count?${query}`), { offers: 1, is_more: false });
        const { text } = await admin.send('GET', `/live/offers/export?${query}`);
        assert.equal(text.trimEnd().split('\n').length, 2, 'the header and one offer');
      }
      const problem = ['query_invalid', '', 'upcoming: must be `yes` or the id of an announced change.'] as const;
      await operator.found('POST', `/announced-changes/${id}/cancel`);
      await admin.refused('GET', `/live/offers?upcoming=${id}`, undefined, [problem]);
      await admin.refused('POST', '/live/offers/change?upcoming=no', { change: 'archive' }, [problem]);
    });

    it('is postponed, brought forward and cancelled; a postponed change does not apply', async () => {
      await operator.found('POST', dated('/policies', ahead(2 * DAY_MS)), EXCLUSION);
      const { id } = await newest();
      await waitToSee('the warning', async () => {
        const { changes } = await admin.found<{ changes: { offers: number }[] }>('GET', '/live/requirements/upcoming');
        return changes[0]?.offers === 1 || undefined;
      });
      assert.deepEqual((await newest()).failing, []);
      const postponed = ahead(10 * DAY_MS);
      const moved = await operator.found<Announced>('PUT', dated(`/announced-changes/${id}/date`, postponed));
      assert.deepEqual([moved.id, moved.enforced_from, moved.state], [id, postponed, 'announced']);
      await passTime(3 * DAY_MS);
      assert.deepEqual(await policies(), []);
      const counted = await waitToSee('the count', async () => (await newest()).failing[0]);
      assert.deepEqual([counted.offers, (await newest()).failing.length], [1, 1]);
      const earlier = ahead(HOUR_MS + 60_000);
      await operator.found('PUT', dated(`/announced-changes/${id}/date`, earlier));
      assert.equal((await newest()).enforced_from, earlier);
      const { state, settled_by } = await operator.found<Announced>('POST', `/announced-changes/${id}/cancel`);
      assert.equal(state, 'cancelled');
      assert.match(settled_by ?? '', /@portal\.example$/);
      await passTime(DAY_MS);
      assert.deepEqual(await policies(), []);
      const text = 'The date of this change is less than 1 hour ahead. Announce the change with another date.';
      await operator.refused('POST', `/announced-changes/${id}/restore`, undefined, [['change_settled', '', text]]);
    });

    it('is announced again after it was cancelled, and then applies', async () => {
      const date = ahead(DAY_MS);
      await operator.found('POST', dated('/policies', date), EXCLUSION);
      const { id } = await newest();
      const settled = [['change_settled', '', 'This change was already applied or cancelled.']] as const;
      await operator.refused('POST', `/announced-changes/${id}/restore`, undefined, settled);
      const cancelled = await operator.found<Announced>('POST', `/announced-changes/${id}/cancel`);
      assert.deepEqual([cancelled.state, cancelled.restorable], ['cancelled', true]);
      const again = await operator.found<Announced>('POST', `/announced-changes/${id}/restore`);
      assert.deepEqual(again, { ...cancelled, state: 'announced', settled: null, settled_by: null, restorable: false });
      const { acts } = await operator.found<{ acts: { act: string; subject: string }[] }>('GET', '/acts?limit=1');
      assert.deepEqual([acts[0]?.act, acts[0]?.subject], ['restoreAnnouncedChange', `Excluded brand: ${BRAND}`]);
      await passTime(2 * DAY_MS);
      await waitFor('Excluded');
      await operator.refused('POST', `/announced-changes/${id}/restore`, undefined, settled);
      const { changes } = await operator.found<{ changes: { id: number }[] }>('GET', '/rule-changes');
      await operator.found('POST', `/rule-changes/${changes[0]?.id}/undo`);
      await waitFor('Available For Purchase');
    });

    it('a date is required to move a change, and unknown changes are not found', async () => {
      await operator.refused('PUT', '/announced-changes/1/date', undefined, [
        ['query_invalid', '', 'enforced_from: is required.'],
      ]);
      for (const id of ['999999', 'x']) {
        const problem = [['change_unknown', '', 'No announced change with this id.']] as const;
        const path = `/announced-changes/${id}`;
        await operator.refused('PUT', dated(`${path}/date`, ahead(DAY_MS)), undefined, problem, 404);
        await operator.refused('POST', `${path}/cancel`, undefined, problem, 404);
        await operator.refused('POST', `${path}/restore`, undefined, problem, 404);
      }
    });

    it('a taxonomy, a placeholder and removals are announced too; at most 20 changes at a time', async () => {
      const file = Buffer.from('{"offerbook_taxonomy":1}\n{"node":1,"name":"Home"}\n');
      const date = ahead(DAY_MS);
      await operator.found('POST', `${dated('/taxonomy/import', date)}&source=own`, file);
      const hash = '0123456789abcdef'.repeat(8);
      await operator.found('POST', `${dated('/placeholders', date)}&note=mug&hash=${hash}`);
      await operator.found('POST', '/policies', { kind: 'excluded_brand', brand: 'Unheard' });
      await operator.found('POST', dated('/policies/remove', date), { kind: 'excluded_brand', brand: 'Unheard' });
      for (let number = 3; number < 20; number++) {
        await operator.found('POST', dated('/policies', date), { kind: 'excluded_brand', brand: `Unheard ${number}` });
      }
      await operator.refused('POST', dated('/policies', date), EXCLUSION, [
        ['announced_changes_full', '', '20 changes are already announced. Cancel one, or wait until one applies.'],
      ]);
      const { id } = await newest();
      await operator.found('POST', `/announced-changes/${id}/cancel`);
      await operator.found('POST', dated('/policies', date), EXCLUSION);
      await operator.refused('POST', `/announced-changes/${id}/restore`, undefined, [
        ['announced_changes_full', '', '20 changes are already announced. Cancel one, or wait until one applies.'],
      ]);
      await passTime(2 * DAY_MS);
      await waitToSee(
        'all changes',
        async () => (await listed()).every(({ state }) => state !== 'announced') || undefined,
      );
      const tree = await operator.found<{ taxonomy: { source: string } }>('GET', '/taxonomy/tree');
      assert.equal(tree.taxonomy.source, 'own');
      assert.deepEqual(await operator.found('GET', '/placeholders'), {
        placeholders: [{ hash, note: 'mug', kind: 'placeholder' }],
      });
      assert.equal((await policies()).length, 17);
    });

    it('applies once after downtime, on whichever servers start then', async (t) => {
      const { place, remove } = await createPlace(kind, createReadyDatabase);
      t.after(remove);
      await withSetupStore(place, ({ policies }) => {
        const note = { atMs: Date.now(), by: 'ann', act: 'addPolicy', subject: BRAND, impact: null };
        const dated = { ...note, enforcedFromMs: Date.now() + DAY_MS };
        return policies.addPolicy({ kind: 'excluded_brand', brand: BRAND }, dated);
      });
      const clock = { nowMs: () => Date.now() + 2 * DAY_MS, monotonicMs: () => performance.now() };
      const applied = () =>
        waitToSee('the change', () =>
          withSetupStore(place, async ({ policies }) => {
            const [change] = await policies.listAnnouncedChanges(1);
            return change?.state === 'applied' ? policies.listRuleChanges(9) : undefined;
          }),
        );
      const run = () => withOfferbook(place, { clock }, applied);
      const started = kind === 'sqlite' ? [await run()] : await Promise.all([run(), run()]);
      for (const { result } of started) assert.equal(result.length, 1);
    });
  });
}
