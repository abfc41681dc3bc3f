import { TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useDebouncedValue, useHotkeys } from '@mantine/hooks'
import { useParams } from '@tanstack/react-router'
import { useId, useRef, useState, type KeyboardEvent } from 'react'
import type { Hit, HitGroup } from './hit.ts'
import { useHits } from './hits.ts'

const PAUSE_MS = 150

/** Finds students, orders, payments, UTRs and request ids while typing; can be used by keyboard alone. */
export function SearchField() {
  const { institute } = useParams({ strict: false })
  return institute === undefined ? null : <Field key={institute} />
}

function Field() {
  const field = useRef<HTMLInputElement>(null)
  const list = useId()
  const [text, setText] = useState('')
  const [isOpen, setIsOpen] = useState(false)
  const [active, setActive] = useState(0)
  const [asked] = useDebouncedValue(text, PAUSE_MS)
  const { groups, isFailed } = useHits(asked)
  const hits = groups?.flatMap(group => group.hits) ?? []
  const isShown = isOpen && (groups !== undefined || isFailed)
  const isListed = isShown && hits.length > 0
  const current = Math.min(active, hits.length - 1)
  useHotkeys([['/', () => field.current?.focus()]])
  // Ctrl-K works in input fields too, because the counter's page starts with the focus in one.
  useHotkeys([['mod+K', () => field.current?.focus()]], [])

  const choose = (hit: Hit | undefined): void => {
    if (hit === undefined) return
    setIsOpen(false)
    setText('')
    field.current?.blur()
    hit.go()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (event.key === 'Escape') setIsOpen(false)
    // An answer to what was typed before must not be taken for one to this.
    if (event.key === 'Enter' && isShown && asked === text) choose(hits[current])
    if (step === undefined || hits.length === 0) return
    event.preventDefault()
    setIsOpen(true)
    setActive((current + step + hits.length) % hits.length)
  }
  return (
    <div className="search-field" onBlur={() => setIsOpen(false)}>
      <TextInput
        ref={field}
        type="search"
        role="combobox"
        aria-label="Search students, orders, payments, UTRs and request ids"
        aria-expanded={isListed}
        aria-controls={isListed ? list : undefined}
        aria-activedescendant={isListed ? `${list}-${current}` : undefined}
        aria-autocomplete="list"
        autoComplete="off"
        spellCheck={false}
        placeholder="Search, or go to a page"
        leftSection={<IconSearch size={16} stroke={1.8} aria-hidden />}
        rightSection={<kbd aria-hidden>Ctrl K</kbd>}
        rightSectionWidth={64}
        size="sm"
        maxLength={100}
        value={text}
        onChange={event => {
          setText(event.currentTarget.value)
          setActive(0)
          setIsOpen(true)
        }}
        onFocus={() => setIsOpen(true)}
        onKeyDown={onKeyDown}
      />
      {isShown && (
        // The press must not take the focus away before the click is done.
        <div className="search-hits" onMouseDown={event => event.preventDefault()}>
          {hits.length === 0 ? (
            <p className="search-none faint" role="status">
              {isFailed
                ? 'The search did not work. Try again in a moment.'
                : `Nothing matches “${asked.trim()}”.`}
            </p>
          ) : (
            <Hits id={list} groups={groups ?? []} current={current} onChoose={choose} onPoint={setActive} />
          )}
        </div>
      )}
    </div>
  )
}

function Hits({
  id,
  groups,
  current,
  onChoose,
  onPoint,
}: {
  id: string
  groups: readonly HitGroup[]
  current: number
  onChoose: (hit: Hit) => void
  onPoint: (index: number) => void
}) {
  let count = 0
  return (
    <div role="listbox" id={id} aria-label="What was found">
      {groups.map(({ name, hits }) => (
        <div key={name} role="group" aria-label={name}>
          <div role="presentation">{name}</div>
          {hits.map(hit => {
            const index = count++
            return (
              <div
                key={hit.id}
                role="option"
                id={`${id}-${index}`}
                aria-selected={index === current}
                onClick={() => onChoose(hit)}
                onMouseMove={() => onPoint(index)}
              >
                {hit.title}
                <div className="faint">{hit.note}</div>
              </div>
            )
          })}
        </div>
      ))}
    </div>
  )
}
