/** Filters offers by their badge. Available offers with and without stock have different badges. */
import { Select } from '@mantine/core';
import { STATUSES } from '#domain/vocabulary/statuses.ts';
import { OUT_OF_STOCK, type StatusContext, statusName } from '../status-badge.tsx';
import { withCurrent } from './choices.ts';

export interface StatusChoice {
  readonly status?: string;
  readonly stock?: 'in' | 'out';
}

export interface StatusChoices {
  /** Statuses as the API names them. The marketplace may rename some. */
  readonly statuses: readonly string[];
  readonly chosen: StatusChoice;
  readonly context: StatusContext;
  readonly change: (next: StatusChoice) => void;
}

const IN_STOCK = `${STATUSES.available} in`;
const NO_STOCK = `${STATUSES.available} out`;

/** Returns the choices with their labels, the current one, and what to call when another is chosen; null stands for all statuses. */
export function statusChoices({ statuses, chosen, context, change }: StatusChoices) {
  const { status, stock } = chosen;
  const isAvailable = status === STATUSES.available;
  const value = isAvailable && stock !== undefined ? `${status} ${stock}` : status;
  const offered = statuses.flatMap((one) => (one === STATUSES.available ? [IN_STOCK, NO_STOCK] : [one]));
  const label = (option: string) => {
    if (option === NO_STOCK) return OUT_OF_STOCK;
    const name = statusName(option === IN_STOCK ? STATUSES.available : option, context);
    return option === STATUSES.available ? `${name} or out of stock` : name;
  };
  const choose = (next: string | null) => {
    if (next === IN_STOCK || next === NO_STOCK) {
      return change({ status: STATUSES.available, stock: next === IN_STOCK ? 'in' : 'out' });
    }
    // A stock filter that was set together with the status is removed with it.
    const kept = stock !== undefined && !isAvailable ? { stock } : {};
    change(next === null ? kept : { ...kept, status: next });
  };
  const choices = withCurrent(offered, value).map((option) => ({ value: option, label: label(option) }));
  return { choices, value: value ?? null, choose };
}

export function StatusSelect({ w, ...props }: StatusChoices & { readonly w: number | string }) {
  const { choices, value, choose } = statusChoices(props);
  return <Select label="Status" placeholder="All" clearable w={w} data={choices} value={value} onChange={choose} />;
}
