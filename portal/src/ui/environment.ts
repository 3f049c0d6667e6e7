/** In charge of the environment that a merchant's person works in: it stands in the address, and the last one is kept. */
import { useParams } from '@tanstack/react-router';
import type { Environment, Session } from '../api/session.ts';

const KEY = 'offerbook-environment';

export function useEnvironment(): Environment {
  return useParams({ from: '/$environment' }).environment;
}

/** The one worked in last; at first the live one, and in the demo the one that its first steps are about. */
export function lastEnvironment({ demo }: Session): Environment {
  const kept = localStorage.getItem(KEY);
  return kept === 'test' || kept === 'live' ? kept : demo ? 'test' : 'live';
}

export function keepEnvironment(environment: Environment): void {
  localStorage.setItem(KEY, environment);
}
