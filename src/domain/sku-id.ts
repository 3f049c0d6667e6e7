/** Decodes and checks the SKU id in a URL. */
import { LIMITS } from './limits.ts';
import { type Problem, requestProblem } from './problem.ts';
import { hasAtMost, hasForbiddenCharacter } from './text/text-rules.ts';

/** Returns the problem with a SKU id; undefined if it is valid. */
export function skuIdFault(skuId: string): string | undefined {
  if (skuId === '') return 'must not be empty';
  if (!hasAtMost(skuId, LIMITS.sku_id_characters_max)) {
    return `must have at most ${LIMITS.sku_id_characters_max} characters`;
  }
  if (hasForbiddenCharacter(skuId)) return 'must not contain NUL characters or unpaired surrogates';
  // Common HTTP clients resolve these two before they send a request, so a SKU with this id could not be read back.
  if (skuId === '.' || skuId === '..') return 'must not be "." or ".."';
  return undefined;
}

export function decodeSkuId(segment: string): { skuId: string } | { problem: Problem } {
  if (segment.length > LIMITS.sku_id_encoded_characters_max) {
    return fault(`must have at most ${LIMITS.sku_id_characters_max} characters`);
  }
  let skuId: string;
  try {
    skuId = segment.includes('%') ? decodeURIComponent(segment) : segment;
  } catch {
    return fault('must be percent-encoded UTF-8');
  }
  const text = skuIdFault(skuId);
  return text === undefined ? { skuId } : fault(text);
}

function fault(text: string): { problem: Problem } {
  return { problem: requestProblem('sku_id_invalid', `The SKU id in the path ${text}.`) };
}
