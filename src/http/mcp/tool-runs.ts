/** Tools that make more than one call: an offer with its review, fixes that a plan can take, the check of a file, and reports. */
import { Readable } from 'node:stream';
import { parseExactJson, stringifyExactJson } from '../../domain/int64.ts';
import { refuse } from '../../domain/outcome.ts';
import { fieldProblem } from '../../domain/problem.ts';
import { receiveUpload } from '../../operations/files/receive-upload.ts';
import type { Answer } from '../endpoint.ts';
import { type AgentCall, api, type Values } from './agent-call.ts';

export async function explainOffer(agent: AgentCall, values: Values): Promise<Answer> {
  const [review, offer] = [await agent.make(api('getReview'), values), await agent.make(api('getOffer'), values)];
  if ('problems' in review) return review;
  return 'problems' in offer ? offer : { status: 200, json: `{"review":${review.json},"offer":${offer.json}}` };
}

interface FoundFix {
  readonly id: string;
  readonly confidence: string;
}

/** Returns the fixes of the offers, and each offer that has one of `fixes` (by default, certain ones) as a plan takes it. */
export async function suggestFixes(agent: AgentCall, { merchant_skus, fixes: chosen }: Values): Promise<Answer> {
  const wanted = chosen as readonly string[] | undefined;
  const offers: { readonly merchant_sku: string; readonly fixes: readonly FoundFix[] }[] = [];
  const planned: object[] = [];
  for (const merchant_sku of new Set(merchant_skus as readonly string[])) {
    const review = await agent.make(api('getReview'), { merchant_sku });
    if ('problems' in review) return review;
    const { checks } = parseExactJson(review.json ?? '') as { checks: readonly { fixes?: readonly FoundFix[] }[] };
    const fixes = checks.flatMap((check) => check.fixes ?? []);
    const used = fixes.filter(({ id, confidence }) => wanted?.includes(id) ?? confidence === 'certain');
    offers.push({ merchant_sku, fixes });
    if (used.length > 0) planned.push({ merchant_sku, fixes: used.map(({ id }) => id) });
  }
  const known = new Set(offers.flatMap(({ fixes }) => fixes.map(({ id }) => id)));
  const unknown = (wanted ?? []).findIndex((id) => !known.has(id));
  if (unknown !== -1) {
    return refuse([fieldProblem('fix_unknown', ['fixes', unknown], 'is not a fix of the current reviews')]);
  }
  return { status: 200, json: stringifyExactJson({ offers, planned }) };
}

/** The rows are only checked, because a file would change offers without a plan (docs/decisions/0083). */
export async function checkFile(agent: AgentCall, { content, ...named }: Values): Promise<Answer> {
  const { services, account } = agent.request;
  const upload = await agent.make(api('requestUpload'), {});
  if ('problems' in upload) return upload;
  const { url } = JSON.parse(upload.json ?? '') as { url: string };
  const bytes = Buffer.from(String(content));
  const sent = { announcedBytes: bytes.length, chunks: Readable.from([bytes]) };
  const received = await receiveUpload(services.files, account, services.links.uploadId(url) ?? '', sent);
  return received.ok ? agent.make(api('receiveFile'), { ...named, url, validate_only: true }) : received;
}

const REQUESTS: Readonly<Record<string, string>> = {
  ProductStatus: 'requestReport',
  Fingerprints: 'requestFingerprints',
  Offers: 'requestOffers',
};

export function report(agent: AgentCall, { report_id, type = 'ProductStatus' }: Values): Promise<Answer> {
  if (report_id !== undefined) return agent.make(api('getReportState'), { report_id });
  return agent.make(api(REQUESTS[String(type)] ?? ''), {});
}
