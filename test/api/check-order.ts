/** In charge of what the updates of all parts of a SKU share: unknown and archived SKUs, and which check answers first. */
import { type ApiClient, type ExpectedProblem, requestProblem, skuPath } from '../harness/api-client.ts';

export interface FaultyBody {
  readonly body: unknown;
  readonly problems: readonly ExpectedProblem[];
}

export function skuUnknown(skuId: string): ExpectedProblem {
  return requestProblem('sku_unknown', `SKU ${skuId} was never uploaded.`);
}

export function skuArchived(skuId: string): ExpectedProblem {
  const message = `SKU ${skuId} cannot be updated because it is archived; unarchive it first.`;
  return requestProblem('sku_archived', message);
}

export async function refusesUnknownSku(api: ApiClient, method: string, part: string, body?: unknown): Promise<void> {
  const skuId = api.newSkuId();
  await api.refused(method, `${skuPath(skuId)}/${part}`, body, [skuUnknown(skuId)], 404);
}

export async function refusesArchivedSku(api: ApiClient, method: string, part: string, body: unknown): Promise<void> {
  const skuId = await archivedSku(api);
  await api.refused(method, `${skuPath(skuId)}/${part}`, body, [skuArchived(skuId)]);
}

/** Body, then unknown SKU, then archived SKU, then what `misfit` breaks: a rule that needs stored data. */
export async function assertCheckOrder(
  api: ApiClient,
  method: string,
  part: string,
  { faulty, misfit }: { readonly faulty: FaultyBody; readonly misfit: FaultyBody },
): Promise<void> {
  const unknown = `${skuPath(api.newSkuId())}/${part}`;
  const archived = `${skuPath(await archivedSku(api))}/${part}`;
  const open = `${await api.uploadedSku()}/${part}`;
  await api.refused(method, unknown, faulty.body, faulty.problems);
  await api.refused(method, archived, faulty.body, faulty.problems);
  await refusesUnknownSku(api, method, part, misfit.body);
  await refusesArchivedSku(api, method, part, misfit.body);
  await api.refused(method, open, misfit.body, misfit.problems);
}

/** Uploads and archives a SKU; returns its id. */
export async function archivedSku(api: ApiClient): Promise<string> {
  const skuId = api.newSkuId();
  await archive(api, await api.uploadedSku({}, skuId));
  return skuId;
}

export async function archive(api: ApiClient, path: string): Promise<void> {
  await api.accepted('PUT', `${path}/status/archive`, { is_archived: true });
}
