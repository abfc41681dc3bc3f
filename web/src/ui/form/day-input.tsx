import { ActionIcon, TextInput, type TextInputProps } from '@mantine/core'
import { IconCalendar } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { formatDay, isDay } from '../when.tsx'
import { readTypedDay } from '../../../../src/platform/typed/day.rules.ts'
import { formatTime, readMoment, readWholeDay } from './day.ts'

type Props = Omit<TextInputProps, 'value' | 'onChange' | 'type' | 'ref' | 'min' | 'max'> & {
  /** As the API has it; empty for none. */
  value: string
  /** Gets a day once it is typed whole, and an empty text when the field is emptied, or left with what is no day. */
  onChange: (value: string) => void
  /** The last day that may be chosen. */
  max?: string | undefined
}

type Kind = {
  native: 'date' | 'datetime-local'
  read: (typed: string) => string | null
  /** While somebody types. */
  readWhole: (typed: string) => string | null
  show: (value: string) => string
  help: string
}

/** What stands in the field until it is left, whether the page takes what it was given or keeps what it had. */
type Typed = { text: string; of: readonly [before: string, given: string] }

const DAY: Kind = {
  native: 'date',
  read: text => readTypedDay(text),
  readWhole: readWholeDay,
  show: value => (isDay(value) ? formatDay(value) : value),
  help: 'Write the day like 18 Nov 2026 or 18/11/2026',
}

const MOMENT: Kind = {
  native: 'datetime-local',
  read: readMoment,
  readWhole: readMoment,
  show(value) {
    const [day = '', time = ''] = value.split('T')
    return isDay(day) ? `${formatDay(day)}, ${formatTime(time)}` : value
  },
  help: 'Write day and time like 18 Nov 2026, 9:30 am',
}

/** A day, shown as 18 Nov 2026 and read however people write it; the browser's own calendar opens beside it. */
export function DayInput(props: Props) {
  return <PickedInput {...props} kind={DAY} />
}

/** Day and time in India. */
export function MomentInput(props: Props) {
  return <PickedInput {...props} kind={MOMENT} />
}

function PickedInput({ value, onChange, max, error, kind, ...props }: Props & { kind: Kind }) {
  const input = useRef<HTMLInputElement>(null)
  const native = useRef<HTMLInputElement>(null)
  const [typed, setTyped] = useState<Typed | null>(null)
  const [isLeft, setIsLeft] = useState(false)
  const shown = typed !== null && typed.of.includes(value) ? typed.text : kind.show(value)
  const problem = problemOf(shown, { max, kind })
  useEffect(() => input.current?.setCustomValidity(problem ?? ''), [problem])
  const give = (next: string): void => {
    if (next !== value) onChange(next)
  }
  const settle = (): void => {
    const read = kind.read(shown) ?? ''
    setIsLeft(true)
    setTyped(read === '' ? { text: shown, of: [value, ''] } : null)
    give(read)
  }
  const pick = (): void => native.current?.showPicker()
  return (
    <TextInput
      {...props}
      ref={input}
      autoComplete="off"
      placeholder={props.placeholder ?? kind.show(kind.native === 'date' ? '2026-11-18' : '2026-11-18T09:30')}
      value={shown}
      onChange={event => {
        const text = event.currentTarget.value
        const next = text.trim() === '' ? '' : (kind.readWhole(text) ?? value)
        setIsLeft(false)
        setTyped({ text, of: [value, next] })
        give(next)
      }}
      onBlur={event => {
        settle()
        props.onBlur?.(event)
      }}
      onKeyDown={event => {
        if (event.key === 'Enter') settle()
        if (event.key === 'ArrowDown' && event.altKey) pick()
        props.onKeyDown?.(event)
      }}
      error={error ?? (isLeft ? problem : undefined)}
      rightSection={
        <>
          <input
            ref={native}
            className="behind-field"
            type={kind.native}
            tabIndex={-1}
            aria-hidden
            disabled={props.disabled}
            max={max}
            value={value}
            onChange={event => {
              setTyped(null)
              give(event.currentTarget.value)
            }}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            aria-label="Calendar"
            tabIndex={-1}
            disabled={props.disabled ?? false}
            onClick={pick}
          >
            <IconCalendar size={18} stroke={1.6} aria-hidden />
          </ActionIcon>
        </>
      }
    />
  )
}

function problemOf(
  shown: string,
  { max, kind }: { max: string | undefined; kind: Kind },
): string | undefined {
  if (shown.trim() === '') return undefined
  const read = kind.read(shown)
  if (read === null) return kind.help
  return max !== undefined && read > max ? `At the latest ${kind.show(max)}` : undefined
}
