/** What operators note about a merchant. */
import { Button, Text, Textarea } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { LIMITS } from '#domain/limits.ts';
import { api, ask } from '../../../api/client.ts';
import { useHeldForm } from '../../../ui/forms/held-form.ts';
import { type Fields, SavingForm, useSaving } from '../../../ui/forms/saving.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Empty } from '../../../ui/states.tsx';

interface NoteProps {
  readonly merchantId: string;
  readonly note: string;
  readonly etag: string;
}

export function MerchantNote(props: NoteProps) {
  const [isEditing, { open, close }] = useDisclosure();
  const { note } = props;
  return (
    <Panel
      title="Notes"
      about="Operators see them, merchants don't. Changes are in the activity log."
      actions={
        isEditing ? (
          <Button variant="subtle" onClick={close}>
            Cancel
          </Button>
        ) : (
          <Button variant="light" onClick={open} aria-label={note === '' ? 'Add note' : 'Edit note'}>
            {note === '' ? 'Add' : 'Edit'}
          </Button>
        )
      }
    >
      {isEditing ? (
        <NoteForm {...props} close={close} />
      ) : note === '' ? (
        <Empty title="No notes yet" />
      ) : (
        <Text className="anywhere" style={{ whiteSpace: 'pre-wrap' }}>
          {note}
        </Text>
      )}
    </Panel>
  );
}

const fields: Fields = { names: () => ['note'] };

function NoteForm({ merchantId, note, etag, close }: NoteProps & { readonly close: () => void }) {
  const queryClient = useQueryClient();
  const held = useHeldForm({ note }, etag);
  const refresh = () => queryClient.invalidateQueries({ queryKey: ['merchants', merchantId] });
  const saving = useSaving({
    held,
    fields,
    save: (body, header) =>
      ask(
        api.PUT('/merchants/{merchant_id}/note', {
          params: { path: { merchant_id: merchantId }, header },
          body,
        }),
      ),
    refresh,
    proceed: async () => {
      await refresh();
      close();
    },
  });
  return (
    <SavingForm
      saving={saving}
      held={held}
      fields={fields}
      mayChange
      changesAt="The activity log shows who changed it."
    >
      <Textarea
        label="Note"
        autosize
        minRows={3}
        maxRows={12}
        maxLength={LIMITS.merchant_note_characters_max}
        data-autofocus
        {...held.form.getInputProps('note')}
      />
    </SavingForm>
  );
}
