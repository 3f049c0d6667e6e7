/** Reads the environment of a merchant's page from the URL, and remembers the last one used. */
import { useParams } from '@tanstack/react-router';
import { type Environment, type Session, usePerson } from '../api/session.ts';
import type { StatusContext } from './status-badge.tsx';

const KEY = 'offerbook-environment';

export function useEnvironment(): Environment {
  return useParams({ from: '/$environment' }).environment;
}

/** Returns the environment and the suspension of the signed-in merchant, on which the names of its offers' statuses depend. */
export function useStatusContext(): StatusContext {
  return { environment: useEnvironment(), suspended: usePerson().merchant?.suspended === true };
}

/** Returns the environment used last. The default is live, or test in the demo, whose first steps use test. */
export function lastEnvironment({ demo }: Session): Environment {
  const kept = localStorage.getItem(KEY);
  return kept === 'test' || kept === 'live' ? kept : demo ? 'test' : 'live';
}

export function keepEnvironment(environment: Environment): void {
  localStorage.setItem(KEY, environment);
}
