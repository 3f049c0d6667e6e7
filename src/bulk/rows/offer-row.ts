/**
 * Checks a row of a file of type Offers: the body of `PUT …/offer` with the archive flag. The row never changes the flag. An archived SKU
 * cannot be updated, so a row that says `is_archived` leaves it as it is; if the SKU is not archived, the row is refused. The status, which
 * the report Offers has too, is ignored.
 */
import type { Account } from '../../domain/account.ts';
import type { SentBody } from '../../domain/body-text.ts';
import { isObject, isPresent, notKind } from '../../domain/check/compile.ts';
import type { CheckContext, OfferRow, RefusedWrite } from '../../domain/offers/part.ts';
import { type Accepted, accept } from '../../domain/outcome.ts';
import { fieldProblem } from '../../domain/problem.ts';
import { checkOffer } from '../../operations/offers/offer.ts';

export type CheckedOffer = (Accepted<OfferRow> & { readonly problemsOf?: undefined }) | RefusedOffer;

export interface RefusedOffer extends RefusedWrite {
  /** A state of the SKU that does not take precedence over the problems. If it is `archived`, the row is fine in that state. */
  readonly expects?: 'unknown' | 'archived' | undefined;
}

const FLAG = 'is_archived';

export function checkOfferRow(context: CheckContext, account: Account, skuId: string, body: SentBody): CheckedOffer {
  if (!isObject(body.value)) return refused(checkOffer(context, account, skuId, body) as RefusedWrite);
  const { [FLAG]: flag, status: _, sub_status: __, ...value } = body.value;
  if (flag === true && body.problems.length === 0) {
    const rule = 'must be false, because the SKU is not archived. Archive it with a file of type Archive';
    const problems = [fieldProblem('not_allowed', [FLAG], rule)];
    return { ok: false, problems, ignored: [], behindSkuState: true, expects: 'archived' };
  }
  const checked = checkOffer(context, account, skuId, { value, problems: body.problems });
  if (isPresent(flag) && typeof flag !== 'boolean') {
    const problem = fieldProblem('wrong_type', [FLAG], `must be a boolean, ${notKind(flag)}`);
    const problems = [problem, ...(checked.ok ? [] : checked.problems)];
    return { ok: false, problems, ignored: checked.ignored, behindSkuState: false };
  }
  if (!checked.ok) return refused(checked, isPresent(value.sku));
  const { ignored } = checked;
  return accept(
    { skuId, part: 'offer' as const, parts: checked.value as readonly unknown[] as OfferRow['parts'] },
    ignored,
  );
}

/** A row with the data of the SKU may add it. */
function refused(checked: RefusedWrite, mayAdd = false): RefusedOffer {
  return { ...checked, expects: mayAdd ? 'unknown' : undefined };
}
