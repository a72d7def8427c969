// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Mantine's components in our look. Colours are in theme.css, as the content security policy allows no style that a script writes. */

import { createTheme, Drawer, Input, Menu, Modal, Select, Tooltip } from "@mantine/core";

export const theme = createTheme({
  cursorType: "pointer",
  defaultRadius: "sm",
  respectReducedMotion: true,
  components: {
    // lockScroll would add a <style> element, which the content security policy refuses.
    Modal: Modal.extend({ defaultProps: { lockScroll: false, centered: true, closeButtonProps: { "aria-label": "Close" } } }),
    Drawer: Drawer.extend({ defaultProps: { lockScroll: false, closeButtonProps: { "aria-label": "Close" } } }),
    // Its placeholder for the focus is no item, and a menu may hold nothing else.
    Menu: Menu.extend({ defaultProps: { withInitialFocusPlaceholder: false } }),
    // Nearly all fields are required, and the browser says so of one that is empty.
    InputWrapper: Input.Wrapper.extend({ defaultProps: { withAsterisk: false } }),
    Select: Select.extend({ defaultProps: { allowDeselect: false, checkIconPosition: "right" } }),
    Tooltip: Tooltip.extend({ defaultProps: { events: { hover: true, focus: true, touch: true }, multiline: true, maw: 320 } }),
  },
});
