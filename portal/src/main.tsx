/** The portal's entry: puts theme, data and routes together and mounts them. */
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './ui/global.css';
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { whenSessionMoved } from './api/client.ts';
import { whenOtherTabTells } from './api/other-tabs.ts';
import { ApiError } from './api/problem.ts';
import { followSession, followSignOut } from './app/follow-session.ts';
import { createPortalRouter } from './app/router.tsx';
import { PageTitleTeller } from './ui/page-title.tsx';
import { readableColours, theme } from './ui/theme.ts';

const RETRIES_MAX = 2;

// The page's policy allows only styles that carry the nonce of this very answer.
const nonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? '';
setNonce(nonce);

const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5000,
      // What the server refused it would refuse again.
      retry: (failures, error) =>
        failures < RETRIES_MAX && (!(error instanceof ApiError) || error.status === 0 || error.status >= 500),
    },
  },
});

const router = createPortalRouter(queryClient);

whenSessionMoved(() => void followSession(router, queryClient));
whenOtherTabTells((news) => {
  if (news === 'began') void followSession(router, queryClient);
  else void followSignOut(router, queryClient);
});

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no element to mount the portal in.');
createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={readableColours}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queryClient}>
        <Notifications position="bottom-right" />
        <PageTitleTeller />
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
