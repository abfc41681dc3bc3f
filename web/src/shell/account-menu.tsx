import { Avatar, Menu, UnstyledButton } from '@mantine/core'
import { IconLogout, IconRobot, IconUserCircle } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useCommand } from '../api/command.ts'
import { usePerson } from '../api/session.ts'
import { Appearance } from './appearance.tsx'

export function AccountMenu() {
  const person = usePerson()
  const navigate = useNavigate()
  const { institute } = useParams({ strict: false })
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
    <Menu position="bottom-end" shadow="md" width={280}>
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
        <Menu.Item
          leftSection={<IconUserCircle size={18} stroke={1.6} />}
          onClick={() => void navigate({ to: '/account' })}
        >
          Your account
        </Menu.Item>
        {institute !== undefined && (
          <Menu.Item
            leftSection={<IconRobot size={18} stroke={1.6} />}
            onClick={() => void navigate({ to: '/i/$institute/assistants', params: { institute } })}
          >
            Your assistants
          </Menu.Item>
        )}
        <Menu.Item leftSection={<IconLogout size={18} stroke={1.6} />} onClick={() => signOut.mutate()}>
          Sign out
        </Menu.Item>
        <Menu.Divider />
        <Appearance />
      </Menu.Dropdown>
    </Menu>
  )
}

function initialsOf(name: string): string {
  const words = name.split(/\s+/).filter(word => word !== '' && word !== 'of')
  return `${words[0]?.charAt(0) ?? ''}${words.length > 1 ? (words.at(-1)?.charAt(0) ?? '') : ''}`.toUpperCase()
}
