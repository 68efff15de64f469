/** Which columns there are. What is chosen is remembered in this browser. */
import type { ReactElement } from 'react'
import { useStore } from '../core/store.ts'
import { Check } from '../kit/field.tsx'
import { COLUMNS, isChosen, turn } from './columns.ts'
import { columnChoice } from './live-list.ts'
import { Menu } from './menu.tsx'

export function ColumnsMenu(): ReactElement {
  const choice = useStore(columnChoice)
  return (
    <Menu label="Columns" icon="settings" isBare className="w-44 p-2">
      {() => (
        <div className="flex flex-col gap-1.5">
          {COLUMNS.filter(({ rank }) => rank > 0).map((column) => (
            <Check
              key={column.id}
              label={column.label}
              title={column.id === 'cost' ? 'Shown where prices are known' : column.says}
              checked={isChosen(column, choice)}
              onChange={() => columnChoice.set(turn(columnChoice.get(), column.id))}
            />
          ))}
        </div>
      )}
    </Menu>
  )
}
