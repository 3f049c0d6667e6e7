/** Placeholder images page: images that count as missing in a review. */
import { Button, Code, FileInput, Group, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ask } from '../../api/client.ts';
import { fileBody } from '../../api/file-body.ts';
import { RemoveButton } from '../../ui/confirm.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Empty, Failed } from '../../ui/states.tsx';
import { type ChangeQuery, ImpactDialog, type RuleChange } from './impact-dialog.tsx';
import { RecentChanges } from './recent-changes.tsx';

export function PlaceholdersPage() {
  const placeholders = useQuery({ queryKey: ['placeholders'], queryFn: () => ask(api.GET('/placeholders')) });
  return (
    <Page
      title="Placeholder images"
      about="Offers that use one of these images, or a similar one, count as having no image. Common placeholders are built in."
    >
      <Panel title="Add placeholder">
        <AddPlaceholder />
      </Panel>
      <Panel title="Added by operators">
        <QueryView query={placeholders} what="placeholders">
          {({ placeholders: shown }) =>
            shown.length === 0 ? (
              <Empty title="No placeholders added">Add an image above.</Empty>
            ) : (
              <PlaceholderTable placeholders={shown} />
            )
          }
        </QueryView>
      </Panel>
      <RecentChanges />
    </Page>
  );
}

function AddPlaceholder() {
  const [change, setChange] = useState<RuleChange>();
  const form = useForm({
    initialValues: { image: null as File | null, note: '' },
    validate: { image: (image) => (image === null ? 'Choose an image.' : null) },
  });
  const adding = useMutation({
    mutationFn: async ({ image, note }: { image: File; note: string }): Promise<RuleChange> => {
      const send = (query: ChangeQuery) =>
        ask(api.POST('/placeholders', { params: { query: { note, ...query } }, ...fileBody(image) }));
      const { impact } = await send({ preview: 'true' });
      return { title: 'Add placeholder', action: 'Add', about: note, send, impact, done: form.reset };
    },
    onSuccess: setChange,
  });
  return (
    <form
      onSubmit={form.onSubmit(({ image, note }) => {
        if (image !== null) adding.mutate({ image, note });
      })}
    >
      <Stack maw={480}>
        <ImpactDialog change={change} close={() => setChange(undefined)} />
        {adding.isError && <Failed error={adding.error} />}
        <FileInput
          label="Image"
          accept="image/jpeg,image/png"
          placeholder="Choose an image"
          required
          clearable
          {...form.getInputProps('image')}
        />
        <TextInput label="Source" required {...form.getInputProps('note')} />
        <Group>
          <Button type="submit" loading={adding.isPending}>
            Add
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface Placeholder {
  readonly hash: string;
  readonly note: string;
}

function PlaceholderTable({ placeholders }: { readonly placeholders: readonly Placeholder[] }) {
  const [removal, setRemoval] = useState<RuleChange>();
  const begin = ({ hash, note }: Placeholder) =>
    setRemoval({
      title: 'Remove placeholder',
      action: 'Remove',
      about: `${note}: this image will count as a product image, and offers that show it are re-reviewed.`,
      send: (query: ChangeQuery) => ask(api.DELETE('/placeholders/{hash}', { params: { path: { hash }, query } })),
    });
  return (
    <>
      <ImpactDialog change={removal} close={() => setRemoval(undefined)} />
      <DataTable
        minWidth={560}
        rows={placeholders}
        keyOf={({ hash }) => hash}
        columns={[
          { head: 'Hash', cell: ({ hash }) => <Code>{hash}</Code> },
          { head: 'Source', cell: ({ note }) => note },
        ]}
        actions={(placeholder) => <RemoveButton what={placeholder.hash} remove={() => begin(placeholder)} />}
      />
    </>
  );
}
