/**
 * Checks a write to a part: its body, then rules about account settings and other SKUs. `behindSkuState` tells the caller to report "SKU not
 * found" and "SKU is archived" before the problem. http/admit.ts has the checks before the body. Single calls and rows of files share these
 * checks.
 */
import type { Account } from '../account.ts';
import type { SentBody } from '../body-text.ts';
import { accept } from '../outcome.ts';
import { Report } from '../problem.ts';
import type { CheckContext, CheckedWrite, MembersCheck, Part } from './part.ts';

/** Returns a `MembersCheck` if the part has rules about other SKUs. */
export function checkWrite(
  part: Part,
  { bodies, names }: CheckContext,
  account: Account,
  skuId: string,
  body: SentBody,
): CheckedWrite | MembersCheck {
  const checked = part.checkBody === undefined ? bodies[part.name](body) : part.checkBody(bodies, body);
  const { ignored } = checked;
  if (!checked.ok) return { ok: false, problems: checked.problems, ignored, behindSkuState: false };
  if (part.checkSettings !== undefined) {
    const report = new Report();
    part.checkSettings(checked.value, account, names, report);
    if (report.problems.length > 0) return { ok: false, problems: report.problems, ignored, behindSkuState: true };
  }
  const write = part.toWrite(skuId, checked.value, checked.json);
  return part.checkMembers?.(checked.value, write, ignored) ?? accept(write, ignored);
}
