// A small site with the parts that VitePress puts around a page: a menu, a sidebar, an outline, a footer, edit links.
export default {
  title: "Kiln",
  description: "A controller for pottery ovens",
  lastUpdated: false,
  themeConfig: {
    nav: [
      { text: "Guide", link: "/guide/install" },
      { text: "Settings", link: "/settings" },
    ],
    sidebar: [
      {
        text: "Guide",
        items: [
          { text: "Install the controller", link: "/guide/install" },
          { text: "Fire a kiln", link: "/guide/firing" },
        ],
      },
      { text: "Settings", link: "/settings" },
      { text: "Questions", link: "/questions" },
    ],
    outline: "deep",
    footer: { message: "Made of clay.", copyright: "Copyright of nobody" },
    editLink: { pattern: "https://example.com/edit/:path" },
  },
};
