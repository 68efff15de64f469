/** Turns notifications and the sound on and off. Permission is asked when somebody wants them, never before. */
import { useState, type ReactElement } from 'react'
import { useStore } from '../core/store.ts'
import { classes } from '../kit/classes.ts'
import { Icon, type IconName } from '../kit/icons.tsx'
import { allowNotifications, beep, canNotify, isNotifying, isSounding } from './alerts.ts'

export function AlertSwitches(): ReactElement {
  const isOn = useStore(isNotifying)
  const isLoud = useStore(isSounding)
  const [isRefused, setRefused] = useState(false)

  async function turnNotifying(): Promise<void> {
    if (isOn) return isNotifying.set(false)
    const isAllowed = await allowNotifications()
    setRefused(!isAllowed)
    isNotifying.set(isAllowed)
  }
  function turnSounding(): void {
    if (!isLoud) beep()
    isSounding.set(!isLoud)
  }

  return (
    <>
      {isRefused ? (
        <span role="alert" className="text-xs text-warn max-md:hidden">
          {canNotify() ? 'Not allowed' : 'Blocked in the settings of this browser'}
        </span>
      ) : null}
      <Switch
        icon="bell"
        label="Notifications"
        says="Notifications of this browser when a call waits and you look elsewhere"
        isOn={isOn}
        onTurn={() => void turnNotifying()}
      />
      <Switch
        icon="sound"
        label="Sound"
        says="A short sound when a call waits"
        isOn={isLoud}
        onTurn={turnSounding}
      />
    </>
  )
}

function Switch({
  icon,
  label,
  says,
  isOn,
  onTurn,
}: {
  readonly icon: IconName
  readonly label: string
  readonly says: string
  readonly isOn: boolean
  onTurn(): void
}): ReactElement {
  return (
    <button
      type="button"
      role="switch"
      aria-checked={isOn}
      aria-label={label}
      title={`${says}: ${isOn ? 'on' : 'off'}`}
      onClick={onTurn}
      className={classes(
        'inline-flex h-7 shrink-0 items-center gap-1.5 rounded-md px-2 text-xs',
        isOn
          ? 'bg-accent-soft font-medium text-accent'
          : 'text-muted hover:bg-hover hover:text-ink',
      )}
    >
      <span className="relative inline-flex items-center justify-center">
        <Icon name={icon} size={14} />
        {isOn ? null : <span className="absolute h-px w-4.5 rotate-45 bg-current" />}
      </span>
      <span className="max-lg:hidden">{label}</span>
    </button>
  )
}
