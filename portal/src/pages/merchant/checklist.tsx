/** First steps of a new merchant. Each is ticked off when it is done, and the list disappears when all required steps are done. */
import { List, Text, ThemeIcon } from '@mantine/core';
import type { ReactNode } from 'react';
import type { OfferFilters } from '../../api/offer-filters.ts';
import type { Overview } from '../../api/overview.ts';
import { usePerson, useSession } from '../../api/session.ts';
import { useEnvironment } from '../../ui/environment.ts';
import { TextLink } from '../../ui/links.tsx';
import { Panel } from '../../ui/panel.tsx';

export function Checklist({ overview: { first_steps: done } }: { readonly overview: Overview }) {
  const environment = useEnvironment();
  const { email } = usePerson();
  const isDemoUser = useSession().demo_logins.some((login) => login.email === email);
  const { keys, ...needed } = done;
  if (isDemoUser || Object.values(needed).every(Boolean)) return null;
  const params = { environment };
  return (
    <Panel title="Get started" about="Each step is ticked off when it is done.">
      <List spacing="sm" center>
        <Step done={done.location}>
          <TextLink to="/$environment/settings" params={params}>
            Add a location
          </TextLink>
        </Step>
        <Step done={done.offer}>
          <TextLink to="/$environment/add-offer" params={params}>
            Add your first offer
          </TextLink>
        </Step>
        <Step done={done.price}>
          <OfferStep isLink={done.offer} search={{ sub_status: 'Missing price' }}>
            Set its price
          </OfferStep>
        </Step>
        <Step done={done.stock}>
          <OfferStep isLink={done.offer} search={{ stock: 'out' }}>
            Set its stock
          </OfferStep>
        </Step>
        <Step done={done.live}>
          <TextLink to="/$environment/overview" params={{ environment: 'live' }}>
            Go live: have an offer for sale in the live environment
          </TextLink>
        </Step>
        <Step done={keys}>
          <TextLink to="/$environment/api-integration" params={params}>
            Optional: connect your systems with an API key
          </TextLink>
        </Step>
      </List>
    </Panel>
  );
}

interface OfferStepProps {
  readonly isLink: boolean;
  readonly search: OfferFilters;
  readonly children: string;
}

/** Shows no link before the first offer, because the list would be empty. */
function OfferStep({ isLink, search, children }: OfferStepProps) {
  const environment = useEnvironment();
  if (!isLink) return children;
  return (
    <TextLink to="/$environment/offers" params={{ environment }} search={search}>
      {children}
    </TextLink>
  );
}

function Step({ done, children }: { readonly done: boolean; readonly children: ReactNode }) {
  return (
    <List.Item
      icon={
        <ThemeIcon
          size={22}
          radius="xl"
          variant={done ? 'filled' : 'default'}
          color="green"
          role="img"
          aria-label={done ? 'Done' : 'To do'}
        >
          {done ? '✓' : ''}
        </ThemeIcon>
      }
    >
      <Text component="span" td={done ? 'line-through' : undefined}>
        {children}
      </Text>
    </List.Item>
  );
}
