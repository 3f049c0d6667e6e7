/** Describes a change to a webhook in the activity log. */
import type { Account } from '../domain/account.ts';
import { LIMITS } from '../domain/limits.ts';

interface Changed {
  readonly webhook_id: string;
  /** Only the host of the URL is shown, because the rest may contain secrets. */
  readonly url?: string;
  readonly enabled?: boolean;
  readonly reason?: string;
}

export function webhookAct(
  { merchantId, environment }: Pick<Account, 'merchantId' | 'environment'>,
  { webhook_id, url, enabled, reason }: Changed,
): { readonly subject: string; readonly detail: string } {
  const host = url === undefined ? undefined : new URL(url).host;
  const fields = Object.entries({ environment, webhook_id, host, enabled, reason });
  const detail = fields.flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`])).join(', ');
  return { subject: merchantId, detail: detail.slice(0, LIMITS.act_detail_characters_max) };
}
