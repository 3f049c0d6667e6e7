/** Tests that an announced change is applied once, and all its offers are reviewed and told once, if the server is killed meanwhile. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Offerbook } from '../../client/src/offerbook.ts';
import type { SkuBody } from '../../client/src/types.ts';
import { DEMO_CREDENTIALS } from '../../src/demo/demo-merchant.ts';
import type { SetupStore } from '../../src/store/port.ts';
import { minimalSku } from '../harness/api-client.ts';
import { withSetupStore } from '../harness/own-server.ts';
import { startServeProcess } from '../harness/serve-process.ts';
import { withPlace } from '../harness/store-place.ts';
import { STORE_VARIANTS } from '../harness/variants.ts';
import { waitUntil } from '../harness/wait-until.ts';

const OFFERS = 400;
const LANES = 8;
const DAY_MS = 86_400_000;
/** From the new date of a change until it. */
const LEAD_MS = 1_500;
/** Time until the leases of a killed process expire. */
const LEASES_MS_MAX = 180_000;
const { user, secret: pass } = DEMO_CREDENTIALS.test;

interface Round {
  readonly api: Offerbook;
  readonly dateMs: number;
  /** Offers that earlier changes excluded. */
  readonly excluded: number;
  change(): ReturnType<typeof changeOf>;
}

/** What the server is killed after. */
const KILLED: Readonly<Record<string, (round: Round) => Promise<unknown>>> = {
  'when its date comes': ({ dateMs }) => pause(dateMs - Date.now()),
  'as soon as it is applied': ({ change }) =>
    waitUntil('the change', LEASES_MS_MAX, async () => (await change()).state === 'applied' || undefined),
  'as soon as the first offer is excluded': ({ api, excluded }) =>
    waitUntil('an exclusion', LEASES_MS_MAX, async () => (await excludedIn(api)) > excluded || undefined),
};

for (const { store, skip } of STORE_VARIANTS) {
  describe(`kill -9 while an announced change applies (${store})`, { skip }, () => {
    it('it applies once, and no event is added twice', { timeout: 900_000 }, () =>
      withPlace(store, async (place) => {
        const variables = { ...place, REQUESTS_PER_MINUTE: '1000000' };
        let server = await startServeProcess(variables);
        const clientOf = () => new Offerbook({ url: server.url, user, pass });
        try {
          await withSetupStore(place, async (setup) => {
            for (const [round, [moment, wait]] of Object.entries(KILLED).entries()) {
              const brand = `Brand of round ${round}`;
              await upload(clientOf(), round, brand);
              const id = await announce(setup, brand);
              await warned(clientOf(), id);
              const dateMs = Date.now() + LEAD_MS;
              await setup.policies.moveAnnouncedChange(id, dateMs, Date.now());
              const change = () => changeOf(setup, id);
              await wait({ api: clientOf(), dateMs, change, excluded: round * OFFERS });
              await server.stop('SIGKILL');
              server = await startServeProcess(variables);
              const api = clientOf();
              await waitUntil(`the last exclusion, after a kill ${moment}`, LEASES_MS_MAX, async () => {
                return (await excludedIn(api)) === (round + 1) * OFFERS || undefined;
              });
              await waitUntil('the end', LEASES_MS_MAX, async () => (await change()).cleared || undefined);
              assert.deepEqual(await api.upcoming(), []);
            }
            const subjects = (await setup.policies.listRuleChanges(9)).map(({ subject }) => subject);
            assert.deepEqual(subjects.toReversed(), ['Brand of round 0', 'Brand of round 1', 'Brand of round 2']);
          });
          await assertToldOnce(clientOf());
        } finally {
          await server.stop('SIGKILL');
        }
      }),
    );
  });
}

async function upload(api: Offerbook, round: number, brand: string): Promise<void> {
  const lanes = Array.from({ length: LANES }, async (_, lane) => {
    for (let n = lane; n < OFFERS; n += LANES) {
      const sku = { ...minimalSku(), brand } as SkuBody;
      await api.putOffer(`round-${round}-${n}`, { sku, price: { price: 5 } });
    }
  });
  await Promise.all(lanes);
}

/** Returns the id of the announced exclusion. */
async function announce({ policies }: SetupStore, brand: string): Promise<number> {
  const note = { atMs: Date.now(), by: 'ann', act: 'addPolicy', subject: brand, impact: null };
  await policies.addPolicy({ kind: 'excluded_brand', brand }, { ...note, enforcedFromMs: Date.now() + DAY_MS });
  return (await policies.listAnnouncedChanges(1))[0]?.announcedId ?? assert.fail();
}

async function changeOf({ policies }: SetupStore, id: number) {
  const changes = await policies.listAnnouncedChanges(9);
  return changes.find(({ announcedId }) => announcedId === id) ?? assert.fail();
}

const warned = (api: Offerbook, id: number) =>
  waitUntil('all warnings', LEASES_MS_MAX, async () => {
    const failing = (await api.upcoming()).find((change) => change.id === id)?.offers;
    return failing === OFFERS || undefined;
  });

async function excludedIn(api: Offerbook): Promise<number> {
  return (await Array.fromAsync(api.skus({ status: 'Excluded' }))).length;
}

/** An event with the same content must not be there twice; a moved date causes another one. */
async function assertToldOnce(api: Offerbook): Promise<void> {
  const types = ['offer.will_fail', 'offer.will_pass', 'offer.status_changed', 'requirement.reminder'];
  const events = await Array.fromAsync(api.events({ once: true, types }));
  const contents = events.map(({ id: _, at: __, ...content }) => JSON.stringify(content));
  assert.equal(contents.length - new Set(contents).size, 0);
  const excluded = events.filter((event) => event.type === 'offer.status_changed' && event.after === 'Excluded');
  assert.equal(excluded.length, OFFERS * Object.keys(KILLED).length);
  assert.deepEqual(
    events.filter(({ type }) => type === 'offer.will_pass'),
    [],
  );
  assert.ok(events.filter(({ type }) => type === 'offer.will_fail').length >= excluded.length);
}
