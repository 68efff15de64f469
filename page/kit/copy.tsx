/** Puts a text on the clipboard and says that it did. */
import { useState, type ReactElement } from 'react'
import { Button, IconButton } from './button.tsx'

export function CopyButton({
  text,
  label = 'Copy',
  isSmall = false,
  onCopied,
}: {
  readonly text: string | (() => string | Promise<string>)
  readonly label?: string
  readonly isSmall?: boolean
  onCopied?(): void
}): ReactElement {
  const [said, setSaid] = useState<string>()
  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(typeof text === 'string' ? text : await text())
      setSaid('Copied')
      onCopied?.()
    } catch {
      setSaid('Cannot copy here')
    }
    setTimeout(() => setSaid(undefined), 1500)
  }
  const icon = said === 'Copied' ? 'check' : 'copy'
  return isSmall ? (
    <IconButton icon={icon} label={said ?? label} onClick={() => void copy()} />
  ) : (
    <Button icon={icon} onClick={() => void copy()}>
      {said ?? label}
    </Button>
  )
}
