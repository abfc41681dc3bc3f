import { Checkbox, Group, NativeSelect, Radio, Textarea, TextInput } from '@mantine/core'
import type { TextAnswer } from '../../../../src/reminders/reminder.schemas.ts'
import { problemOf } from '../../api/command.ts'
import { LANGUAGE_NAMES, SCOPE_TEXTS } from './texts.ts'

export type Draft = Pick<TextAnswer, 'language' | 'subject' | 'body'> & {
  scope: 'overdue' | 'all'
  channels: string[]
  force: boolean
}

type Props = {
  texts: readonly TextAnswer[]
  draft: Draft
  onChange: (changes: Partial<Draft>) => void
  error: Error | null
}

/** What is said, of what, how and in which language. */
export function MessageFields({ texts, draft, onChange, error }: Props) {
  return (
    <>
      <Radio.Group label="Remind of" value={draft.scope} onChange={scope => onChange({ scope: scope })}>
        <Group mt="xs">
          {Object.entries(SCOPE_TEXTS).map(([value, label]) => (
            <Radio key={value} value={value} label={label} />
          ))}
        </Group>
      </Radio.Group>
      <Checkbox.Group label="By" value={draft.channels} onChange={channels => onChange({ channels })}>
        <Group mt="xs">
          <Checkbox value="email" label="E-mail" />
          <Checkbox value="sms" label="SMS or WhatsApp" />
        </Group>
      </Checkbox.Group>
      <NativeSelect
        label="Language"
        maw={240}
        value={draft.language}
        onChange={event => {
          const text = texts.find(one => one.language === event.currentTarget.value)
          if (text !== undefined)
            onChange({ language: text.language, subject: text.subject, body: text.body })
        }}
        data={texts.map(({ language }) => ({
          value: language,
          label: LANGUAGE_NAMES[language] ?? language,
        }))}
      />
      <TextInput
        label="Subject of the mail"
        required
        value={draft.subject}
        onChange={event => onChange({ subject: event.currentTarget.value })}
        error={problemOf(error, 'subject')}
      />
      <Textarea
        label="Text of the mail"
        description="{details} is who owes how much, with the link to pay. Also {total}, {names}, {parent}, {school}, {bank_account}. Greeting and signature are added. Texts to phones are registered with the operators and stay as they are."
        required
        autosize
        minRows={6}
        value={draft.body}
        onChange={event => onChange({ body: event.currentTarget.value })}
        error={problemOf(error, 'body')}
      />
      <Checkbox
        label="Also families that were reminded today"
        checked={draft.force}
        onChange={event => onChange({ force: event.currentTarget.checked })}
      />
    </>
  )
}
