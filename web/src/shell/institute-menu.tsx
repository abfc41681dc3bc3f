import { Menu, UnstyledButton } from '@mantine/core'
import { IconChevronDown } from '@tabler/icons-react'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useSession } from '../api/session.ts'

export function InstituteMenu() {
  const navigate = useNavigate()
  const { institute: code } = useParams({ strict: false })
  const institutes = useSession()?.institutes ?? []
  const here = institutes.find(one => one.code === code)
  if (institutes.length === 0) return null
  const [only, second] = institutes
  if (only !== undefined && second === undefined) {
    return (
      <Link to="/i/$institute" params={{ institute: only.code }} className="institute-name">
        {only.name}
      </Link>
    )
  }
  return (
    <Menu position="bottom-start" shadow="md">
      <Menu.Target>
        <UnstyledButton className="institute-button">
          <span className="institute-label">{here?.name ?? 'Choose an institute'}</span>
          <IconChevronDown size={16} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown mah={400} className="scrolls">
        <Menu.Label>Institutes</Menu.Label>
        {institutes.map(one => (
          <Menu.Item
            key={one.code}
            onClick={() => void navigate({ to: '/i/$institute', params: { institute: one.code } })}
            rightSection={<span className="faint">{one.role}</span>}
          >
            {one.name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
