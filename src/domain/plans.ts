/** Defines plans: changes to many offers that were tried, and can be applied exactly as tried. */
import type { Author } from './author.ts';
import { LIMITS } from './limits.ts';
import type { PlanLimits } from './setup/key-scopes.ts';
import { HOUR_MS, MINUTE_MS } from './vocabulary/iso-time.ts';

/** Why a plan needs the approval of a person. */
export const APPROVAL_REASONS = ['offers', 'price_change', 'hours'] as const;
export type ApprovalReason = (typeof APPROVAL_REASONS)[number];

export const PLAN_STATES = ['planned', 'awaiting_approval', 'refused', 'expired', 'applying', 'applied'] as const;
export type PlanState = (typeof PLAN_STATES)[number];

export interface PlanTotals {
  /** Offers that the plan changes. */
  readonly offers: number;
  /** Offers that already have the values. */
  readonly unchanged: number;
  readonly refused: number;
  /** Offers that match a price change that cannot apply to them, such as offers without a price. */
  readonly skipped: number;
  /** Offers that the plan archives or unarchives: all that it changes, or none. */
  readonly archived: number;
  /** The largest change of a price in percent, up or down; null if no price changes. */
  readonly percentMax: number | null;
  /** The lowest new price; null if no price changes. */
  readonly lowestPrice: number | null;
}

export interface Plan {
  readonly accountId: number;
  /** Also the id of the bulk file that applies it. */
  readonly planId: string;
  /** Drawn before the offers were read: parts that were written later keep their values. */
  readonly number: number;
  readonly by: Author;
  readonly createdMs: number;
  /** The scopes that a key needs to apply it. */
  readonly needs: number;
  readonly totals: PlanTotals;
  /** Why it needed an approval when it was made. */
  readonly reasons: readonly ApprovalReason[];
  /** `applied`: its file was submitted. If a person approved it before, `decidedBy` names the person. */
  readonly decision: 'approved' | 'refused' | 'applied' | null;
  /** Email address of the person who decided. */
  readonly decidedBy: string | null;
}

/** A plan with its offers as JSON text, as they were shown. */
export interface WholePlan extends Plan {
  readonly offers: string;
}

export const PLAN_LIFETIME_MS = LIMITS.plan_minutes * MINUTE_MS;

export function isExpired({ createdMs }: Pick<Plan, 'createdMs'>, nowMs: number): boolean {
  return createdMs + PLAN_LIFETIME_MS <= nowMs;
}

/** Returns which guard rails of the key the plan exceeds. */
export function approvalReasons(
  { offers, percentMax }: PlanTotals,
  limits: PlanLimits | null | undefined,
  nowMs: number,
): readonly ApprovalReason[] {
  if (limits === null || limits === undefined) return [];
  const isExceeded: Readonly<Record<ApprovalReason, boolean>> = {
    offers: limits.offersMax !== null && offers > limits.offersMax,
    price_change: limits.percentMax !== null && percentMax !== null && percentMax > limits.percentMax,
    hours: limits.hours !== null && !isWithin(limits.hours, nowMs),
  };
  return APPROVAL_REASONS.filter((reason) => isExceeded[reason]);
}

/** `22-06` are the hours from 22:00 to 06:00, UTC. */
function isWithin(hours: string, nowMs: number): boolean {
  const [from = 0, to = 24] = hours.split('-').map(Number);
  const hour = Math.floor(nowMs / HOUR_MS) % 24;
  return from < to ? hour >= from && hour < to : hour >= from || hour < to;
}
