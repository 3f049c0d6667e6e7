/** Entry point: sets up theme, query client and router, and mounts the portal. */
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './app/global.css';
import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { whenSessionChanged } from './api/client.ts';
import { whenOtherTabNotifies } from './api/other-tabs.ts';
import { ApiError } from './api/problem.ts';
import { followSession, followSignOut } from './app/follow-session.ts';
import { Notifications } from './app/notifications.tsx';
import { createPortalRouter } from './app/router.tsx';
import { PageTitleAnnouncer } from './ui/page-title.tsx';
import { theme, themeColors } from './ui/theme.ts';

const RETRIES_MAX = 2;

// The Content-Security-Policy allows only styles with this response's nonce.
const nonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? '';
setNonce(nonce);

const queryClient = new QueryClient({
  defaultOptions: {
    // A change waits for the connection in the API client, where the user can cancel it.
    mutations: { networkMode: 'always' },
    queries: {
      staleTime: 5000,
      // A 4xx response would be the same on retry.
      retry: (failures, error) =>
        failures < RETRIES_MAX && (!(error instanceof ApiError) || error.status === 0 || error.status >= 500),
    },
  },
});

const router = createPortalRouter(queryClient);

whenSessionChanged(() => void followSession(router, queryClient));
whenOtherTabNotifies((change) => {
  if (change === 'began') void followSession(router, queryClient);
  else void followSignOut(router, queryClient);
});

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no element with the id `root`.');
createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={themeColors}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queryClient}>
        <Notifications />
        <PageTitleAnnouncer />
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
