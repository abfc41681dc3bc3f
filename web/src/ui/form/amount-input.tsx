import { TextInput, type TextInputProps } from '@mantine/core'
import { useLayoutEffect, useRef, useState } from 'react'
import { groupAmount, isAmountSoFar, plainAmount, regroup } from './amount.ts'

type Props = Omit<TextInputProps, 'value' | 'onChange' | 'type' | 'inputMode' | 'ref'> & {
  value: string
  /** Gets the bare number, as the API takes it. */
  onChange: (amount: string) => void
}

/** An amount in rupees: grouped while it is typed, and read however people write it. */
export function AmountInput({ value, onChange, error, ...props }: Props) {
  const input = useRef<HTMLInputElement>(null)
  const caret = useRef<number | null>(null)
  const [typed, setTyped] = useState(() => groupAmount(value))
  // The page may set another amount, such as what is owed.
  const shown = plainAmount(typed) === plainAmount(value) ? typed : groupAmount(value)
  useLayoutEffect(() => {
    if (caret.current !== null) input.current?.setSelectionRange(caret.current, caret.current)
    caret.current = null
  })
  return (
    <TextInput
      {...props}
      ref={input}
      inputMode="decimal"
      autoComplete="off"
      value={shown}
      onChange={event => {
        const { value: next, selectionStart } = event.currentTarget
        const { text, caret: place } = regroup(shown, next, selectionStart ?? next.length)
        if (text !== next) caret.current = place
        setTyped(text)
        onChange(plainAmount(text))
      }}
      onBlur={event => {
        setTyped(groupAmount(shown))
        props.onBlur?.(event)
      }}
      error={
        error ?? (isAmountSoFar(shown) ? undefined : 'Type an amount in rupees with at most two decimals.')
      }
    />
  )
}
