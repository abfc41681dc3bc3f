import { Avatar, Menu, UnstyledButton } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useCommand } from '../api/command.ts'
import { usePerson } from '../api/session.ts'

export function AccountMenu() {
  const person = usePerson()
  const navigate = useNavigate()
  const client = useQueryClient()
  const signOut = useCommand({
    method: 'DELETE',
    path: '/session',
    onDone() {
      client.clear()
      void navigate({ to: '/sign-in' })
    },
  })
  if (person === undefined) return null
  return (
    <Menu position="bottom-end" shadow="md" width={240}>
      <Menu.Target>
        <UnstyledButton className="account-button">
          <Avatar color="bursar" variant="filled" radius="xl" size={32}>
            {initialsOf(person.name)}
          </Avatar>
          <span className="visually-hidden">: account of {person.name}</span>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {person.name}
          <br />
          {person.email}
        </Menu.Label>
        <Menu.Item onClick={() => void navigate({ to: '/account' })}>Your account</Menu.Item>
        <Menu.Divider />
        <Menu.Item onClick={() => signOut.mutate()}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

function initialsOf(name: string): string {
  const words = name.split(/\s+/).filter(word => word !== '' && word !== 'of')
  return `${words[0]?.charAt(0) ?? ''}${words.length > 1 ? (words.at(-1)?.charAt(0) ?? '') : ''}`.toUpperCase()
}
