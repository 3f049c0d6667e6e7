/**
 * Tests changes to the review's rules: impact first, confirmation above 100 offers, progress, and undo; on both
 * databases.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { demoImage } from '../../src/demo/images/demo-image.ts';
import { minimalSku } from '../harness/api-client.ts';
import { offerbookHere } from '../harness/command-line.ts';
import { waitToSee } from '../harness/portal-browser.ts';
import { PortalClient } from '../harness/portal-client.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import { STORE_VARIANTS } from '../harness/variants.ts';

interface Impact {
  readonly offers: number;
  readonly merchants: number;
  readonly off_sale: number;
  readonly exact: boolean;
  readonly examined: number;
}

interface Change {
  readonly id: number;
  readonly by: string;
  readonly act: string;
  readonly subject: string;
  readonly impact: Impact | null;
  readonly undone: string | null;
}

const BRAND = 'Impactor & Söhne';
const OFFERS = 101;
/** Its products need no code other than an ASIN. */
const LIVE_PLANTS = 1_160_520;
const EXCLUSION = { kind: 'excluded_brand', brand: BRAND };
const DAY_MS = 86_400_000;

for (const { store: kind, skip } of STORE_VARIANTS) {
  describe(`portal: changes of rules (${kind})`, { skip }, () => {
    let server: TestServer;
    let operator: PortalClient;
    let admin: PortalClient;

    before(async () => {
      server = await startTestServer({}, kind);
      operator = await PortalClient.signIn(server, 'operator');
      admin = await PortalClient.signIn(server, 'merchant-admin');
      for (let start = 0; start < OFFERS; start += 20) {
        const places = Array.from({ length: Math.min(20, OFFERS - start) }, (_, place) => start + place);
        await Promise.all(places.map(upload));
      }
      await waitToSee('all offers for sale', async () => (await offersForSale()) === OFFERS || undefined);
      await atRest();
    });
    after(() => server.close());

    async function upload(place: number): Promise<void> {
      const ASIN = `B${String(place).padStart(9, '0')}`;
      const product = { standard_product_codes: undefined, ASIN, marketplace_browse_node_id: LIVE_PLANTS };
      const sku = { ...minimalSku(), ...product, brand: BRAND };
      await admin.accepted('PUT', `/live/merchant-skus/impact-${place}`, sku);
      await admin.accepted('PUT', `/live/merchant-skus/impact-${place}/price`, { price: 5 });
    }

    const changes = () => operator.found<{ changes: Change[]; offers_left: number }>('GET', '/rule-changes');

    async function newest(): Promise<Change> {
      return (await changes()).changes[0] ?? assert.fail('no change');
    }

    async function atRest(): Promise<void> {
      await waitToSee('the end of the review', async () => (await changes()).offers_left === 0 || undefined);
    }

    const statusOf = async (place: number) =>
      (await admin.found<{ status: string }>('GET', `/live/merchant-skus/impact-${place}`)).status;

    /** Uses one request, because the requests of a session are limited per minute. */
    const offersForSale = async () =>
      (await admin.found<{ offers: unknown[] }>('GET', '/live/offers?status=Available+For+Purchase&limit=200')).offers
        .length;

    const impactOf = async (method: string, path: string, body?: unknown) =>
      (await operator.found<{ impact: Impact }>(method, path, body)).impact;

    it('a preview says how many offers change, exactly, and changes nothing', async () => {
      const before = await changes();
      const impact = await impactOf('POST', '/policies?preview=true', EXCLUSION);
      const { examined, ...rest } = impact;
      assert.deepEqual(rest, { offers: OFFERS, live: OFFERS, merchants: 1, off_sale: OFFERS, exact: true });
      assert.ok(examined >= OFFERS);
      assert.deepEqual(await changes(), before);
      assert.deepEqual(await operator.found('GET', '/policies'), { policies: [] });
      const { acts } = await operator.found<{ acts: unknown[] }>('GET', '/acts');
      assert.deepEqual(acts, [], 'a preview is not an act');
    });

    it('above 100 offers it is refused as a whole unless it is confirmed; then it runs, and is undone in one step', async () => {
      const message = `This changes the status of ${OFFERS} offers of 1 merchant. Confirm it with confirmed=true.`;
      await operator.refused('POST', '/policies', EXCLUSION, [['change_unconfirmed', '', message]]);
      assert.deepEqual(await operator.found('GET', '/policies'), { policies: [] });
      assert.equal((await changes()).changes.length, 0);

      await operator.found('POST', '/policies?confirmed=true', EXCLUSION);
      const change = await newest();
      assert.deepEqual(
        [change.act, change.subject, change.impact?.offers, change.undone],
        ['addPolicy', `Excluded brand: ${BRAND}`, OFFERS, null],
      );
      await waitToSee('the exclusion', async () => (await statusOf(OFFERS - 1)) === 'Excluded' || undefined);

      const undo = `/rule-changes/${change.id}/undo`;
      assert.equal((await impactOf('POST', `${undo}?preview=true`)).offers, OFFERS);
      assert.equal((await impactOf('POST', `${undo}?preview=true`)).off_sale, 0);
      await operator.refused('POST', undo, undefined, [['change_unconfirmed', '', message]]);
      await operator.found('POST', `${undo}?confirmed=true`);
      await atRest();
      for (const place of [0, OFFERS - 1]) assert.equal(await statusOf(place), 'Available For Purchase');
      assert.deepEqual(await operator.found('GET', '/policies'), { policies: [] });
      const [undoing, undone] = (await changes()).changes;
      assert.deepEqual([undoing?.act, undoing?.undone], ['undoChange', null]);
      assert.ok(undone?.undone);
      await operator.refused('POST', `${undo}?confirmed=true`, undefined, [
        ['change_undone', '', 'This change was already undone.'],
      ]);
      const { acts } = await operator.found<{ acts: { act: string; subject: string }[] }>('GET', '/acts?limit=2');
      assert.deepEqual(
        acts.map(({ act, subject }) => [act, subject]),
        [
          ['undoRuleChange', `Excluded brand: ${BRAND}`],
          ['addPolicy', BRAND],
        ],
      );
    });

    it('is undone while its review runs: all offers end as they were', async () => {
      await operator.found('POST', '/policies?confirmed=true', EXCLUSION);
      await operator.found('POST', `/rule-changes/${(await newest()).id}/undo?confirmed=true`);
      await atRest();
      assert.equal(await offersForSale(), OFFERS);
    });

    it('a rule that was changed again since is not undone, nor are unknown and expired changes', async () => {
      const restriction = { kind: 'restricted_brand', brand: 'Other' };
      await operator.found('POST', '/policies', restriction);
      const first = await newest();
      await operator.found('POST', '/policies', { ...restriction, merchants: ['demo'] });
      await operator.refused('POST', `/rule-changes/${first.id}/undo`, undefined, [
        ['change_overtaken', '', 'The rule was changed again after this change. Undo the newer change first.'],
      ]);
      const second = await newest();
      await operator.found('POST', `/rule-changes/${second.id}/undo`);
      await operator.found('POST', `/rule-changes/${first.id}/undo`);
      assert.deepEqual(await operator.found('GET', '/policies'), { policies: [] });
      for (const id of ['999999', 'x']) {
        assert.equal((await operator.send('POST', `/rule-changes/${id}/undo`)).status, 404);
      }
      await operator.refused('POST', '/policies?preview=yes', restriction, [
        ['query_invalid', '', 'preview: must be one of true.'],
      ]);
    });

    it('a catalog correction counts the offers of the product, and undoing it restores the data of the offer', async () => {
      const correction = { environment: 'live', code: 'B000000007', brand: 'Somebody else' };
      const impact = await impactOf('PUT', '/catalog?preview=true', correction);
      assert.deepEqual(impact, { offers: 1, live: 1, merchants: 1, off_sale: 1, exact: true, examined: 1 });
      await operator.found('PUT', '/catalog', correction);
      await atRest();
      assert.notEqual(await statusOf(7), 'Available For Purchase');
      const undo = `/rule-changes/${(await newest()).id}/undo`;
      assert.deepEqual(await impactOf('POST', undo), {
        offers: 1,
        live: 1,
        merchants: 1,
        off_sale: 0,
        exact: true,
        examined: 1,
      });
      await atRest();
      assert.equal(await statusOf(7), 'Available For Purchase');
    });

    it('an excluded product counts only the offers of its code', async () => {
      const impact = await impactOf('POST', '/policies?preview=true', { kind: 'excluded_code', code: 'B000000007' });
      assert.deepEqual(impact, { offers: 1, live: 1, merchants: 1, off_sale: 1, exact: true, examined: 1 });
    });

    it('an import and a reset of the taxonomy show their impact, are refused unconfirmed, and are undone', async () => {
      const file = Buffer.from(
        '{"offerbook_taxonomy":1}\n{"node":1,"name":"Home"}\n{"node":2,"parent":1,"name":"Pots"}\n',
      );
      const preview = await impactOf('POST', '/taxonomy/preview', file);
      assert.ok(preview.offers >= OFFERS && preview.off_sale >= OFFERS, JSON.stringify(preview));
      assert.equal((await operator.send('POST', '/taxonomy/import?source=own', file)).status, 400);
      const tree = () => operator.found<{ taxonomy: { source: string } }>('GET', '/taxonomy/tree');
      assert.equal((await tree()).taxonomy.source, 'starter');
      await operator.found('POST', '/taxonomy/import?source=own&confirmed=true', file);
      await atRest();
      assert.equal(await statusOf(1), 'Missing Listing Data');
      const reset = await operator.found<{ changed: boolean; impact: Impact }>('POST', '/taxonomy/reset?preview=true');
      assert.deepEqual([reset.changed, reset.impact.offers >= OFFERS], [true, true]);
      assert.equal((await tree()).taxonomy.source, 'own');
      await operator.found('POST', `/rule-changes/${(await newest()).id}/undo?confirmed=true`);
      assert.equal((await tree()).taxonomy.source, 'starter');
      await atRest();
      assert.equal(await statusOf(1), 'Available For Purchase');
      assert.equal((await operator.found('POST', '/taxonomy/reset')).changed, false);
    });

    it('placeholders are undone; without image checks they change no offer', async () => {
      const image = await demoImage('mug');
      assert.equal((await impactOf('POST', '/placeholders?note=mug', image)).offers, 0);
      await operator.found('POST', `/rule-changes/${(await newest()).id}/undo`);
      assert.deepEqual(await operator.found('GET', '/placeholders'), { placeholders: [] });
    });

    it('a change of the command line is undone in the portal', async () => {
      await offerbookHere(server.place, 'policy', 'exclude', '--brand', 'Unheard');
      const change = await newest();
      const { by, subject, impact } = change;
      assert.deepEqual([by, subject, impact?.offers], ['command line', 'Excluded brand: Unheard', 0]);
      await operator.found('POST', `/rule-changes/${change.id}/undo`);
      assert.deepEqual(await operator.found('GET', '/policies'), { policies: [] });
    });

    it('merchants see and undo nothing; after 7 days, operators neither', async () => {
      for (const [method, path] of [
        ['GET', '/rule-changes'],
        ['POST', '/rule-changes/1/undo'],
        ['POST', '/taxonomy/reset'],
      ] as const) {
        assert.equal((await admin.send(method, path)).status, 403, path);
      }
      const { id } = await newest();
      server.passTime(7 * DAY_MS);
      const later = await PortalClient.signIn(server, 'operator');
      assert.deepEqual((await later.found<{ changes: Change[] }>('GET', '/rule-changes')).changes, []);
      await later.refused(
        'POST',
        `/rule-changes/${id}/undo`,
        undefined,
        [['change_unknown', '', `No change ${id} that can be undone.`]],
        404,
      );
    });
  });
}
