/** Maps URLs to pages, and guards them by session and role. */
import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  notFound,
  type RouteComponent,
  redirect,
} from '@tanstack/react-router';
import { api, ask } from '../api/client.ts';
import { readOfferFilters } from '../api/offer-filters.ts';
import { readOfferPlace } from '../api/offer-tabs.ts';
import { readSearchFilters } from '../api/operator-offers.ts';
import { readDeveloperPlace } from '../api/request-log.ts';
import type { Environment, Session } from '../api/session.ts';
import { finishWithProvider, sessionQuery } from '../api/session.ts';
import { lastEnvironment } from '../ui/environment.ts';
import { lazyPage } from '../ui/lazy.tsx';
import { Loading } from '../ui/states.tsx';
import { MerchantShell } from './merchant-shell.tsx';
import { NotFound } from './not-found.tsx';
import {
  readActivityPlace,
  readCatalogPlace,
  readMerchantsPlace,
  readTaxonomyPlace,
  readWebhooksPlace,
} from './operator-places.ts';
import { OperatorShell } from './operator-shell.tsx';
import { Root } from './root.tsx';
import { RouteFailed } from './route-failed.tsx';

interface RouterContext {
  readonly queryClient: QueryClient;
}

const rootRoute = createRootRouteWithContext<RouterContext>()({
  component: Root,
  // The shells have the landmark of the pages inside them.
  notFoundComponent: () => (
    <main>
      <NotFound />
    </main>
  ),
});

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: (search): { to?: string; ended?: true; again?: true } => ({
    ...(typeof search.to === 'string' ? { to: search.to } : {}),
    ...(search.ended === true ? { ended: true } : {}),
    ...(search.again === true ? { again: true } : {}),
  }),
  component: lazyPage(() => import('../pages/account/sign-in.tsx'), 'SignInPage'),
});

const providerReturnRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in/return',
  beforeLoad: async ({ context }) => {
    const finished = await finishWithProvider(context.queryClient).catch((error: Error) => error);
    if (typeof finished === 'string') throw redirect({ href: finished, replace: true });
    return { refusal: finished };
  },
  component: lazyPage(() => import('../pages/account/provider-failed.tsx'), 'ProviderFailed'),
});

const setPasswordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/set-password',
  component: lazyPage(() => import('../pages/account/set-password.tsx'), 'SetPasswordPage'),
});

const passkeyRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/passkey',
  validateSearch: ({ to }): { to?: string } => (typeof to === 'string' ? { to } : {}),
  beforeLoad: async ({ context }) => {
    const { person } = await context.queryClient.ensureQueryData(sessionQuery);
    if (!person?.passkey_due) throw redirect({ to: '/' });
  },
  component: lazyPage(() => import('./passkey-due.tsx'), 'PasskeyDuePage'),
});

const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: async ({ context, location }) => {
    const session = await requireSession(context, location.href);
    if (session.person?.role === 'operator') throw redirect({ to: '/operator/home' });
    throw redirect({ to: '/$environment/overview', params: { environment: lastEnvironment(session) } });
  },
});

const merchantRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$environment',
  params: {
    parse: ({ environment }): { environment: Environment } => {
      if (environment !== 'test' && environment !== 'live') throw notFound();
      return { environment };
    },
    stringify: ({ environment }) => ({ environment }),
  },
  beforeLoad: async ({ context, location }) => {
    const { person } = await requireSession(context, location.href);
    if (person?.role === 'operator') throw redirect({ to: '/operator/home' });
  },
  component: MerchantShell,
});

const operatorRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/operator',
  beforeLoad: async ({ context, location, preload }) => {
    let { person } = await requireSession(context, location.href);
    if (person?.viewing && !preload) {
      // Back, a link or another tab leads to the operator's pages, which end viewing as a merchant.
      await ask(api.DELETE('/view'));
      ({ person } = await context.queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 }));
    }
    if (person?.role !== 'operator') throw redirect({ to: '/' });
  },
  component: OperatorShell,
});

/** A page whose URL has no search parameters. The pages below that have some are created with their own reader. */
function merchantPage<Path extends string>(path: Path, component: RouteComponent) {
  return createRoute({ getParentRoute: () => merchantRoute, path, component });
}

function operatorPage<Path extends string>(path: Path, component: RouteComponent) {
  return createRoute({ getParentRoute: () => operatorRoute, path, component });
}

const merchantPages = [
  merchantPage(
    '/overview',
    lazyPage(() => import('../pages/merchant/overview.tsx'), 'OverviewPage'),
  ),
  createRoute({
    getParentRoute: () => merchantRoute,
    path: '/offers',
    validateSearch: readOfferFilters,
    component: lazyPage(() => import('../pages/merchant/offers.tsx'), 'OffersPage'),
  }),
  // This path is not below /offers, where any name may be a SKU.
  createRoute({
    getParentRoute: () => merchantRoute,
    path: '/add-offer',
    validateSearch: ({ from }): { from?: string } => (typeof from === 'string' ? { from } : {}),
    component: lazyPage(() => import('../pages/merchant/offer/add/add-offer.tsx'), 'AddOfferPage'),
  }),
  createRoute({
    getParentRoute: () => merchantRoute,
    path: '/offers/$sku',
    validateSearch: readOfferPlace,
    component: lazyPage(() => import('../pages/merchant/offer.tsx'), 'OfferPage'),
  }),
  createRoute({
    getParentRoute: () => merchantRoute,
    path: '/files',
    validateSearch: ({ page }): { page?: number } =>
      Number.isSafeInteger(page) && Number(page) > 1 ? { page: Number(page) } : {},
    component: lazyPage(() => import('../pages/merchant/files.tsx'), 'FilesPage'),
  }),
  merchantPage(
    '/files/$fileId',
    lazyPage(() => import('../pages/merchant/file.tsx'), 'FilePage'),
  ),
  merchantPage(
    '/plans/$planId',
    lazyPage(() => import('../pages/merchant/plans/plan.tsx'), 'PlanPage'),
  ),
  createRoute({
    getParentRoute: () => merchantRoute,
    path: '/api-integration',
    validateSearch: readDeveloperPlace,
    component: lazyPage(() => import('../pages/merchant/api-integration.tsx'), 'ApiIntegrationPage'),
  }),
  merchantPage(
    '/api-integration/requests/$requestId',
    lazyPage(() => import('../pages/merchant/request.tsx'), 'RequestPage'),
  ),
  merchantPage(
    '/settings',
    lazyPage(() => import('../pages/merchant/settings.tsx'), 'SettingsPage'),
  ),
  merchantPage(
    '/team',
    lazyPage(() => import('../pages/account/users.tsx'), 'UsersPage'),
  ),
  merchantPage(
    '/account',
    lazyPage(() => import('../pages/account/account.tsx'), 'AccountPage'),
  ),
] as const;

const operatorPages = [
  operatorPage(
    '/home',
    lazyPage(() => import('../pages/operator/home.tsx'), 'HomePage'),
  ),
  createRoute({
    getParentRoute: () => operatorRoute,
    path: '/merchants',
    validateSearch: readMerchantsPlace,
    component: lazyPage(() => import('../pages/operator/merchants/merchants.tsx'), 'MerchantsPage'),
  }),
  operatorPage(
    '/merchants/$merchantId',
    lazyPage(() => import('../pages/operator/merchants/merchant.tsx'), 'MerchantPage'),
  ),
  createRoute({
    getParentRoute: () => operatorRoute,
    path: '/offers',
    validateSearch: readSearchFilters,
    component: lazyPage(() => import('../pages/operator/offers.tsx'), 'AllOffersPage'),
  }),
  operatorPage(
    '/review',
    lazyPage(() => import('../pages/operator/review-backlog.tsx'), 'ReviewBacklogPage'),
  ),
  operatorPage(
    '/policies',
    lazyPage(() => import('../pages/operator/policies.tsx'), 'PoliciesPage'),
  ),
  createRoute({
    getParentRoute: () => operatorRoute,
    path: '/taxonomy',
    validateSearch: readTaxonomyPlace,
    component: lazyPage(() => import('../pages/operator/taxonomy.tsx'), 'TaxonomyPage'),
  }),
  createRoute({
    getParentRoute: () => operatorRoute,
    path: '/catalog',
    validateSearch: readCatalogPlace,
    component: lazyPage(() => import('../pages/operator/catalog.tsx'), 'CatalogPage'),
  }),
  operatorPage(
    '/placeholders',
    lazyPage(() => import('../pages/operator/placeholders.tsx'), 'PlaceholdersPage'),
  ),
  operatorPage(
    '/changes',
    lazyPage(() => import('../pages/operator/changes.tsx'), 'ChangesPage'),
  ),
  operatorPage(
    '/system',
    lazyPage(() => import('../pages/operator/system.tsx'), 'SystemPage'),
  ),
  operatorPage(
    '/api-keys',
    lazyPage(() => import('../pages/operator/marketplace-keys.tsx'), 'MarketplaceKeysPage'),
  ),
  createRoute({
    getParentRoute: () => operatorRoute,
    path: '/webhooks',
    validateSearch: readWebhooksPlace,
    component: lazyPage(() => import('../pages/operator/webhooks.tsx'), 'MarketplaceWebhooksPage'),
  }),
  createRoute({
    getParentRoute: () => operatorRoute,
    path: '/activity-log',
    validateSearch: readActivityPlace,
    component: lazyPage(() => import('../pages/operator/activity-log.tsx'), 'ActivityLogPage'),
  }),
  operatorPage(
    '/users',
    lazyPage(() => import('../pages/account/users.tsx'), 'UsersPage'),
  ),
  operatorPage(
    '/account',
    lazyPage(() => import('../pages/account/account.tsx'), 'AccountPage'),
  ),
] as const;

const routeTree = rootRoute.addChildren([
  homeRoute,
  signInRoute,
  providerReturnRoute,
  setPasswordRoute,
  passkeyRoute,
  merchantRoute.addChildren([...merchantPages]),
  operatorRoute.addChildren([...operatorPages]),
]);

export function createPortalRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree,
    context: { queryClient },
    basepath: new URL(document.baseURI).pathname,
    defaultPreload: 'intent',
    defaultPendingComponent: Loading,
    defaultErrorComponent: RouteFailed,
    defaultNotFoundComponent: NotFound,
    scrollRestoration: true,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createPortalRouter>;
  }
}

/** Redirects visitors without a session to the sign-in page, and those who need a passkey to its page. Both return to the URL they asked for. */
async function requireSession({ queryClient }: RouterContext, wanted: string): Promise<Session> {
  const session = await queryClient.ensureQueryData(sessionQuery);
  if (session.person === null) throw redirect({ to: '/sign-in', search: wanted === '/' ? {} : { to: wanted } });
  if (session.person.passkey_due) throw redirect({ to: '/passkey', search: wanted === '/' ? {} : { to: wanted } });
  return session;
}
