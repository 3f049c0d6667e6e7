/**
 * Uploads the sample offers of the demo to its test environment, as a merchant's program would: through the API, in the
 * background. Each step can be repeated, so that an interrupted upload is completed at the next check. The last step
 * marks the upload as complete. `sandbox reset` removes that mark, so the offers are uploaded again.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Files, fileIdOf } from '../../client/src/files.ts';
import { Session } from '../../client/src/session.ts';
import type { FileRecord } from '../../client/src/types.ts';
import type { FileType } from '../domain/vocabulary/file-types.ts';
import type { Store } from '../store/port.ts';
import { DEMO_CREDENTIALS } from './demo-merchant.ts';
import {
  ARCHIVED,
  BAD_ROWS,
  type DemoOffer,
  demoOffers,
  EXCLUDED_BRAND,
  GROUPS,
  RESTRICTED_BRAND,
} from './demo-offers.ts';

export interface SampleParts {
  readonly store: Pick<Store, 'offers' | 'policies' | 'settings'>;
  /** URL of the API. */
  readonly server: string;
  /** `host:port` of the demo's image server. */
  readonly imageHost: string;
  readonly onFailed: (error: unknown) => void;
}

/** Time before each check. The first check waits too, so that the first requests of a user are not slowed down. */
const CHECK_MS = 1_000;
const FAILED_MS = 60_000;

export function startSampleOffers(parts: SampleParts): { close(): Promise<void> } {
  const stopping = new AbortController();
  const running = keep(parts, stopping.signal).catch((error: unknown) => {
    if (!stopping.signal.aborted) parts.onFailed(error);
  });
  return {
    async close() {
      stopping.abort();
      await running;
    },
  };
}

async function keep({ store, server, imageHost, onFailed }: SampleParts, signal: AbortSignal): Promise<void> {
  const { user, secret } = DEMO_CREDENTIALS.test;
  const session = new Session({ url: server, user, pass: secret, signal });
  const offers = demoOffers(`http://${imageHost}`);
  const accountId = (await store.settings.readCredentialOfUser(user))?.accountId;
  const skuId = offers.at(-1)?.skuId ?? '';
  if (accountId === undefined) return;
  // A re-check is requested once per start, because the review gives up on a late image after a few hours.
  let isLateAgain = false;
  for (;;) {
    await pause(CHECK_MS, undefined, { signal });
    try {
      const price = await store.offers.readPrice({ accountId, skuId });
      if (price === 'unknown' || price === 'unset') await upload(store, session, new Files(session), offers);
      else if (!isLateAgain) await session.call('POST', `/merchant-skus/${skuId}/review`);
      isLateAgain = true;
    } catch (error) {
      signal.throwIfAborted();
      onFailed(error);
      await pause(FAILED_MS, undefined, { signal });
    }
  }
}

async function upload(
  store: SampleParts['store'],
  session: Session,
  files: Files,
  offers: readonly DemoOffer[],
): Promise<void> {
  await store.policies.addPolicy({ kind: 'excluded_brand', brand: EXCLUDED_BRAND });
  await store.policies.addPolicy({ kind: 'restricted_brand', brand: RESTRICTED_BRAND, merchantIds: [] });
  const send = (method: 'PUT' | 'PATCH', skuId: string, path: string, body: object) =>
    session.call(method, `/merchant-skus/${skuId}${path}`, { body });
  const sendPrices = async ({ skuId, prices }: DemoOffer) => {
    for (const price of prices) await send('PUT', skuId, '/price', { price });
  };
  const late = offers.slice(-1);
  const filed = offers.slice(0, -1);
  const rows = filed.map(({ skuId, body }) => [skuId, body] as const);
  await sendOnce(files, 'MerchantSKUs', 'autumn-catalog.json', { ...Object.fromEntries(rows), ...BAD_ROWS });
  for (const offer of filed) await sendPrices(offer);
  const stock = filed.map(({ skuId, fulfillment_nodes }) => [skuId, { fulfillment_nodes }] as const);
  await sendOnce(files, 'Inventory', 'stock-count.json', Object.fromEntries(stock));
  for (const { skuId, fulfillment_nodes } of filed.filter(({ prices }) => prices.length > 2)) {
    const restocked = fulfillment_nodes.map((node) => ({ ...node, quantity: node.quantity * 2 }));
    await send('PATCH', skuId, '/inventory', { fulfillment_nodes: restocked });
  }
  for (const [parentId, group] of Object.entries(GROUPS)) await send('PUT', parentId, '/variation', group);
  for (const skuId of ARCHIVED) await send('PUT', skuId, '/status/archive', { is_archived: true });
  for (const offer of late) {
    await send('PUT', offer.skuId, '', offer.body);
    await send('PATCH', offer.skuId, '/inventory', { fulfillment_nodes: offer.fulfillment_nodes });
    await sendPrices(offer);
  }
}

/** Uploads the file and waits until it is processed. After an interruption, it may already exist. */
async function sendOnce(files: Files, type: FileType, name: string, rows: object): Promise<void> {
  let sent: FileRecord | undefined;
  for await (const file of files.list()) if (file.file_name === name) sent = file;
  sent ??= await files.upload({ type, name, content: JSON.stringify(rows) });
  for await (const _state of files.follow(fileIdOf(sent)));
}
