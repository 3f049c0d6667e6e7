/** Shown in an environment without offers: the ways to add offers. In the live environment, it says that test offers stay in test. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { overviewQuery } from '../../api/overview.ts';
import { useMayChange } from '../../api/session.ts';
import { useEnvironment } from '../../ui/environment.ts';
import { lazyPart } from '../../ui/lazy.tsx';
import { ButtonLink, TextLink } from '../../ui/links.tsx';
import { countOf } from '../../ui/numbers.ts';
import { Empty } from '../../ui/states.tsx';

const CopyToLive = lazyPart(() => import('./offer-list/copy-to-live.tsx'), 'CopyToLive');

interface FirstOffersProps {
  /** Offers a copy of the test offers. Its dialog stays open when `isHidden` becomes true. */
  readonly canCopy?: boolean;
  readonly isHidden?: boolean;
}

export function FirstOffers({ canCopy = false, isHidden = false }: FirstOffersProps) {
  const environment = useEnvironment();
  const mayChange = useMayChange();
  const test = useQuery({ ...overviewQuery('test'), enabled: environment === 'live' });
  const tested = environment === 'live' ? (test.data?.offers.total ?? 0) : 0;
  const own = useQuery(overviewQuery(environment));
  const params = { environment };
  const [isCopying, setCopying] = useState(false);
  return (
    <>
      {!isHidden && (
        <Empty
          title="No offers yet"
          action={
            <>
              {mayChange && canCopy && tested > 0 && <Button onClick={() => setCopying(true)}>Copy from test</Button>}
              {mayChange && (
                <ButtonLink to="/$environment/add-offer" params={params} variant={tested > 0 ? 'default' : 'filled'}>
                  Add offer
                </ButtonLink>
              )}
              <ButtonLink to="/$environment/files" params={params} variant="default">
                Upload a file
              </ButtonLink>
              <ButtonLink to="/$environment/api-integration" params={params} variant="default">
                Connect via API
              </ButtonLink>
            </>
          }
        >
          {tested === 0
            ? 'Your offers appear here after you add them.'
            : `The test environment has ${countOf(tested, 'offer')}. To go live, ${own.data?.first_steps.location ? '' : 'add a location in Settings, then '}copy them with price and stock, upload the same files, or use a live API key.`}{' '}
          {tested > 0 && (
            <TextLink to="/$environment/offers" params={{ environment: 'test' }} underline="always">
              Choose offers in test
            </TextLink>
          )}
        </Empty>
      )}
      {isCopying && <CopyToLive filters={{}} skus={undefined} close={() => setCopying(false)} />}
    </>
  );
}
