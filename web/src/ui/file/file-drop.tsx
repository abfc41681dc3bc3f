import { Button, Group } from '@mantine/core'
import { useRef, useState, type ReactNode } from 'react'
import { Problem } from '../problem.tsx'

const ACCEPTED = '.csv,.xlsx,text/csv,application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

/** Takes a CSV or XLSX file, chosen or dropped. */
export function FileDrop(props: {
  /** What is in the file, for people who do not see the page. */
  label: string
  children: ReactNode
  isSending: boolean
  error: Error | null
  onFile: (file: File) => void
  /** Gives a file to begin with, or says where one is. */
  example: (() => void) | string
}) {
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setIsOver] = useState(false)
  const take = ([file]: Iterable<File>): void => {
    if (file !== undefined) props.onFile(file)
  }
  return (
    <section
      aria-label="Send a file"
      className={`drop-zone${isOver ? ' over' : ''}`}
      onDragOver={event => {
        event.preventDefault()
        setIsOver(true)
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={event => {
        event.preventDefault()
        setIsOver(false)
        take(event.dataTransfer.files)
      }}
    >
      <p>{props.children}</p>
      <Group>
        <Button loading={props.isSending} onClick={() => input.current?.click()}>
          Choose a file
        </Button>
        {typeof props.example === 'string' ? (
          <Button variant="default" component="a" href={props.example}>
            Template with your classes
          </Button>
        ) : (
          <Button variant="default" onClick={props.example}>
            Example file
          </Button>
        )}
        <input
          ref={input}
          type="file"
          hidden
          aria-label={props.label}
          accept={ACCEPTED}
          onChange={event => {
            take(event.currentTarget.files ?? [])
            event.currentTarget.value = ''
          }}
        />
      </Group>
      <Problem error={props.error} />
    </section>
  )
}
