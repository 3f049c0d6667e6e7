/**
 * Resolves portal URLs: the portal's own calls, and the mirror of the API for merchants' users. Both are below
 * `/portal/api`; every other URL below `/portal` is a page.
 */
import { ENVIRONMENTS, type Environment } from '../../domain/account.ts';
import { MERCHANT_ROLES, type PortalRole } from '../../domain/vocabulary/portal-roles.ts';
import type { Endpoint, MerchantEndpoint, PortalEndpoint } from '../endpoint.ts';
import { groupByPath, type PathRoute } from '../path-route.ts';

/** A portal call, or a mirrored call with access `merchant`. */
export type PortalCallEndpoint = PortalEndpoint | MerchantEndpoint;

export interface PortalRoute extends PathRoute<PortalCallEndpoint> {
  /** The environment that the call concerns, if any. */
  readonly environment: Environment | undefined;
}

export const PORTAL_CALLS_PATH = '/portal/api';
const ENVIRONMENT_PLACEHOLDER = '{environment}';

/** Mirrored reads that count as changes. */
const READS_FOR_CHANGES: ReadonlySet<string> = new Set(['requestUpload']);

/** Returns all portal calls with their full path. `{environment}` becomes `test` and `live`. */
export function portalCalls(
  portalEndpoints: readonly PortalEndpoint[],
  apiEndpoints: readonly Endpoint[],
): PortalCallEndpoint[] {
  const mirrored = apiEndpoints.filter((endpoint) => endpoint.access === 'merchant');
  return [...portalEndpoints, ...mirrored].map((endpoint) => ({ ...endpoint, path: pathOf(endpoint) }));
}

function pathOf({ access, path }: PortalCallEndpoint): string {
  const isOfAccount = access === 'account' || access === 'merchant';
  return isOfAccount ? `${PORTAL_CALLS_PATH}/${ENVIRONMENT_PLACEHOLDER}${path}` : `${PORTAL_CALLS_PATH}${path}`;
}

export function portalRoutes(calls: readonly PortalCallEndpoint[]): PortalRoute[] {
  return groupByPath(calls).flatMap((route): PortalRoute[] => {
    if (!route.path.includes(ENVIRONMENT_PLACEHOLDER)) return [{ ...route, environment: undefined }];
    return ENVIRONMENTS.map((environment) => {
      return { ...route, path: route.path.replace(ENVIRONMENT_PLACEHOLDER, environment), environment };
    });
  });
}

/** Returns whether the call counts as a change, which needs the CSRF token and a merchant that is not suspended. */
export function isChange({ id, method }: PortalCallEndpoint): boolean {
  return method !== 'GET' || READS_FOR_CHANGES.has(id);
}

/** Returns the roles that may make the call; undefined if anyone may. */
export function rolesFor(endpoint: PortalCallEndpoint): readonly PortalRole[] | undefined {
  if (endpoint.access === 'visitor') return undefined;
  if (endpoint.access === 'person') return endpoint.roles;
  return isChange(endpoint) ? ['merchant-admin'] : MERCHANT_ROLES;
}

const PORTAL_URL = /^\/+(?:api\/+)?portal(?=[/?]|$)/i;
const CALL_URL = /^\/+api(?=[/?]|$)/i;

/** Resolves a URL to a call, or to the page or file of this path; undefined for URLs outside the portal. */
export function portalPlace(url: string): 'call' | { readonly page: string } | undefined {
  const start = PORTAL_URL.exec(url)?.[0].length;
  if (start === undefined) return undefined;
  const rest = url.slice(start);
  return CALL_URL.test(rest) ? 'call' : { page: rest.split('?', 1)[0] ?? '' };
}
