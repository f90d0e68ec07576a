export const documentHash = '72da091decb067ea0d76671d05d61a9175d63da3f91acbe8abf9ffcda6f7c883'
export const documentVersion = '1.0.0'
export const operations = {
  "listPets": {
    "method": "GET",
    "path": "/pets",
    "tag": "Animals",
    "secured": true,
    "scope": "read",
    "quotaFree": false,
    "stability": null,
    "deprecation": null,
    "hideTryIt": false,
    "queryDefaults": {
      "sort": "id",
      "limit": 20
    },
    "requestTypes": [],
    "bodyRequired": false,
    "successStatus": 200,
    "statuses": [
      200,
      400,
      401,
      403,
      429,
      500,
      503
    ]
  },
  "createPet": {
    "method": "POST",
    "path": "/pets",
    "tag": "Animals",
    "secured": true,
    "scope": "write",
    "quotaFree": false,
    "stability": null,
    "deprecation": null,
    "hideTryIt": false,
    "queryDefaults": {},
    "requestTypes": [
      "application/json"
    ],
    "bodyRequired": true,
    "successStatus": 201,
    "statuses": [
      201,
      400,
      401,
      403,
      409,
      413,
      415,
      429,
      500,
      503
    ]
  },
  "createPets": {
    "method": "POST",
    "path": "/pets/batch",
    "tag": "Animals",
    "secured": true,
    "scope": "write",
    "quotaFree": false,
    "stability": "experimental",
    "deprecation": null,
    "hideTryIt": false,
    "queryDefaults": {},
    "requestTypes": [
      "application/json"
    ],
    "bodyRequired": true,
    "successStatus": 201,
    "statuses": [
      201,
      400,
      401,
      403,
      409,
      413,
      415,
      429,
      500,
      503
    ]
  },
  "getPet": {
    "method": "GET",
    "path": "/pets/{petId}",
    "tag": "Animals",
    "secured": true,
    "scope": "read",
    "quotaFree": false,
    "stability": null,
    "deprecation": {
      "at": "2026-06-05",
      "sunset": "2030-12-05",
      "successor": {
        "operationId": "listPets",
        "href": "/pets?ids={petId}"
      }
    },
    "hideTryIt": false,
    "queryDefaults": {},
    "requestTypes": [],
    "bodyRequired": false,
    "successStatus": 200,
    "statuses": [
      200,
      400,
      401,
      403,
      404,
      410,
      429,
      500,
      503
    ]
  },
  "replacePet": {
    "method": "PUT",
    "path": "/pets/{petId}",
    "tag": "Animals",
    "secured": true,
    "scope": "write",
    "quotaFree": false,
    "stability": null,
    "deprecation": null,
    "hideTryIt": false,
    "queryDefaults": {},
    "requestTypes": [
      "application/json"
    ],
    "bodyRequired": true,
    "successStatus": 200,
    "statuses": [
      200,
      400,
      401,
      403,
      404,
      409,
      413,
      415,
      429,
      500,
      503
    ]
  },
  "updatePet": {
    "method": "PATCH",
    "path": "/pets/{petId}",
    "tag": "Animals",
    "secured": true,
    "scope": "write",
    "quotaFree": false,
    "stability": "beta",
    "deprecation": null,
    "hideTryIt": false,
    "queryDefaults": {},
    "requestTypes": [
      "application/merge-patch+json",
      "application/json"
    ],
    "bodyRequired": true,
    "successStatus": 200,
    "statuses": [
      200,
      400,
      401,
      403,
      404,
      409,
      413,
      415,
      429,
      500,
      503
    ]
  },
  "deletePet": {
    "method": "DELETE",
    "path": "/pets/{petId}",
    "tag": "Animals",
    "secured": true,
    "scope": "write",
    "quotaFree": false,
    "stability": null,
    "deprecation": null,
    "hideTryIt": false,
    "queryDefaults": {},
    "requestTypes": [],
    "bodyRequired": false,
    "successStatus": 204,
    "statuses": [
      204,
      400,
      401,
      403,
      404,
      409,
      429,
      500,
      503
    ]
  },
  "listCategories": {
    "method": "GET",
    "path": "/categories",
    "tag": "Categories",
    "secured": true,
    "scope": "read",
    "quotaFree": false,
    "stability": null,
    "deprecation": null,
    "hideTryIt": false,
    "queryDefaults": {
      "limit": 20
    },
    "requestTypes": [],
    "bodyRequired": false,
    "successStatus": 200,
    "statuses": [
      200,
      400,
      401,
      403,
      429,
      500,
      503
    ]
  },
  "createCategory": {
    "method": "POST",
    "path": "/categories",
    "tag": "Categories",
    "secured": true,
    "scope": "write",
    "quotaFree": false,
    "stability": null,
    "deprecation": null,
    "hideTryIt": false,
    "queryDefaults": {},
    "requestTypes": [
      "application/json"
    ],
    "bodyRequired": true,
    "successStatus": 201,
    "statuses": [
      201,
      400,
      401,
      403,
      409,
      413,
      415,
      429,
      500,
      503
    ]
  },
  "getCategory": {
    "method": "GET",
    "path": "/categories/{categoryId}",
    "tag": "Categories",
    "secured": true,
    "scope": "read",
    "quotaFree": false,
    "stability": null,
    "deprecation": null,
    "hideTryIt": false,
    "queryDefaults": {},
    "requestTypes": [],
    "bodyRequired": false,
    "successStatus": 200,
    "statuses": [
      200,
      400,
      401,
      403,
      404,
      429,
      500,
      503
    ]
  },
  "replaceCategory": {
    "method": "PUT",
    "path": "/categories/{categoryId}",
    "tag": "Categories",
    "secured": true,
    "scope": "write",
    "quotaFree": false,
    "stability": null,
    "deprecation": null,
    "hideTryIt": false,
    "queryDefaults": {},
    "requestTypes": [
      "application/json"
    ],
    "bodyRequired": true,
    "successStatus": 200,
    "statuses": [
      200,
      400,
      401,
      403,
      404,
      409,
      413,
      415,
      429,
      500,
      503
    ]
  },
  "updateCategory": {
    "method": "PATCH",
    "path": "/categories/{categoryId}",
    "tag": "Categories",
    "secured": true,
    "scope": "write",
    "quotaFree": false,
    "stability": "beta",
    "deprecation": null,
    "hideTryIt": false,
    "queryDefaults": {},
    "requestTypes": [
      "application/merge-patch+json",
      "application/json"
    ],
    "bodyRequired": true,
    "successStatus": 200,
    "statuses": [
      200,
      400,
      401,
      403,
      404,
      409,
      413,
      415,
      429,
      500,
      503
    ]
  },
  "deleteCategory": {
    "method": "DELETE",
    "path": "/categories/{categoryId}",
    "tag": "Categories",
    "secured": true,
    "scope": "write",
    "quotaFree": false,
    "stability": null,
    "deprecation": null,
    "hideTryIt": false,
    "queryDefaults": {},
    "requestTypes": [],
    "bodyRequired": false,
    "successStatus": 204,
    "statuses": [
      204,
      400,
      401,
      403,
      404,
      409,
      429,
      500,
      503
    ]
  },
  "listOrders": {
    "method": "GET",
    "path": "/store/orders",
    "tag": "Orders",
    "secured": true,
    "scope": "read",
    "quotaFree": false,
    "stability": null,
    "deprecation": null,
    "hideTryIt": true,
    "queryDefaults": {
      "limit": 20
    },
    "requestTypes": [],
    "bodyRequired": false,
    "successStatus": 200,
    "statuses": [
      200,
      400,
      401,
      403,
      429,
      500,
      503
    ]
  },
  "placeOrder": {
    "method": "POST",
    "path": "/store/orders",
    "tag": "Orders",
    "secured": true,
    "scope": "write",
    "quotaFree": false,
    "stability": null,
    "deprecation": null,
    "hideTryIt": false,
    "queryDefaults": {},
    "requestTypes": [
      "application/json"
    ],
    "bodyRequired": true,
    "successStatus": 201,
    "statuses": [
      201,
      400,
      401,
      403,
      409,
      413,
      415,
      429,
      500,
      503
    ]
  },
  "getOrder": {
    "method": "GET",
    "path": "/store/orders/{orderId}",
    "tag": "Orders",
    "secured": true,
    "scope": "read",
    "quotaFree": false,
    "stability": null,
    "deprecation": null,
    "hideTryIt": false,
    "queryDefaults": {},
    "requestTypes": [],
    "bodyRequired": false,
    "successStatus": 200,
    "statuses": [
      200,
      400,
      401,
      403,
      404,
      429,
      500,
      503
    ]
  },
  "updateOrder": {
    "method": "PATCH",
    "path": "/store/orders/{orderId}",
    "tag": "Orders",
    "secured": true,
    "scope": "write",
    "quotaFree": false,
    "stability": null,
    "deprecation": null,
    "hideTryIt": false,
    "queryDefaults": {},
    "requestTypes": [
      "application/merge-patch+json",
      "application/json"
    ],
    "bodyRequired": true,
    "successStatus": 200,
    "statuses": [
      200,
      400,
      401,
      403,
      404,
      409,
      413,
      415,
      429,
      500,
      503
    ]
  },
  "cancelOrder": {
    "method": "DELETE",
    "path": "/store/orders/{orderId}",
    "tag": "Orders",
    "secured": true,
    "scope": "write",
    "quotaFree": false,
    "stability": null,
    "deprecation": null,
    "hideTryIt": false,
    "queryDefaults": {},
    "requestTypes": [],
    "bodyRequired": false,
    "successStatus": 204,
    "statuses": [
      204,
      400,
      401,
      403,
      404,
      409,
      429,
      500,
      503
    ]
  },
  "listInventory": {
    "method": "GET",
    "path": "/store/inventory",
    "tag": "Inventory",
    "secured": true,
    "scope": "read",
    "quotaFree": false,
    "stability": null,
    "deprecation": null,
    "hideTryIt": false,
    "queryDefaults": {
      "limit": 20
    },
    "requestTypes": [],
    "bodyRequired": false,
    "successStatus": 200,
    "statuses": [
      200,
      400,
      401,
      403,
      429,
      500,
      503
    ]
  },
  "getInventoryItem": {
    "method": "GET",
    "path": "/store/inventory/{petId}",
    "tag": "Inventory",
    "secured": true,
    "scope": "read",
    "quotaFree": false,
    "stability": null,
    "deprecation": null,
    "hideTryIt": false,
    "queryDefaults": {},
    "requestTypes": [],
    "bodyRequired": false,
    "successStatus": 200,
    "statuses": [
      200,
      400,
      401,
      403,
      404,
      429,
      500,
      503
    ]
  },
  "updateInventory": {
    "method": "PUT",
    "path": "/store/inventory/{petId}",
    "tag": "Inventory",
    "secured": true,
    "scope": "write",
    "quotaFree": false,
    "stability": null,
    "deprecation": null,
    "hideTryIt": false,
    "queryDefaults": {},
    "requestTypes": [
      "application/json"
    ],
    "bodyRequired": true,
    "successStatus": 200,
    "statuses": [
      200,
      400,
      401,
      403,
      404,
      413,
      415,
      429,
      500,
      503
    ]
  },
  "getUsage": {
    "method": "GET",
    "path": "/usage",
    "tag": "Usage",
    "secured": true,
    "scope": "read",
    "quotaFree": true,
    "stability": "beta",
    "deprecation": null,
    "hideTryIt": false,
    "queryDefaults": {},
    "requestTypes": [],
    "bodyRequired": false,
    "successStatus": 200,
    "statuses": [
      200,
      400,
      401,
      403,
      500,
      501,
      503
    ]
  },
  "listApiKeys": {
    "method": "GET",
    "path": "/api-keys",
    "tag": "API keys",
    "secured": true,
    "scope": "admin",
    "quotaFree": false,
    "stability": null,
    "deprecation": null,
    "hideTryIt": false,
    "queryDefaults": {
      "limit": 20
    },
    "requestTypes": [],
    "bodyRequired": false,
    "successStatus": 200,
    "statuses": [
      200,
      400,
      401,
      403,
      429,
      500,
      501,
      503
    ]
  },
  "createApiKey": {
    "method": "POST",
    "path": "/api-keys",
    "tag": "API keys",
    "secured": true,
    "scope": "admin",
    "quotaFree": false,
    "stability": null,
    "deprecation": null,
    "hideTryIt": false,
    "queryDefaults": {},
    "requestTypes": [
      "application/json"
    ],
    "bodyRequired": true,
    "successStatus": 201,
    "statuses": [
      201,
      400,
      401,
      403,
      413,
      415,
      429,
      500,
      501,
      503
    ]
  },
  "getApiKey": {
    "method": "GET",
    "path": "/api-keys/{keyId}",
    "tag": "API keys",
    "secured": true,
    "scope": "admin",
    "quotaFree": false,
    "stability": null,
    "deprecation": null,
    "hideTryIt": false,
    "queryDefaults": {},
    "requestTypes": [],
    "bodyRequired": false,
    "successStatus": 200,
    "statuses": [
      200,
      400,
      401,
      403,
      404,
      429,
      500,
      501,
      503
    ]
  },
  "updateApiKey": {
    "method": "PATCH",
    "path": "/api-keys/{keyId}",
    "tag": "API keys",
    "secured": true,
    "scope": "admin",
    "quotaFree": false,
    "stability": null,
    "deprecation": null,
    "hideTryIt": false,
    "queryDefaults": {},
    "requestTypes": [
      "application/merge-patch+json",
      "application/json"
    ],
    "bodyRequired": true,
    "successStatus": 200,
    "statuses": [
      200,
      400,
      401,
      403,
      404,
      409,
      413,
      415,
      429,
      500,
      501,
      503
    ]
  },
  "revokeApiKey": {
    "method": "DELETE",
    "path": "/api-keys/{keyId}",
    "tag": "API keys",
    "secured": true,
    "scope": "admin",
    "quotaFree": false,
    "stability": null,
    "deprecation": null,
    "hideTryIt": false,
    "queryDefaults": {},
    "requestTypes": [],
    "bodyRequired": false,
    "successStatus": 204,
    "statuses": [
      204,
      400,
      401,
      403,
      404,
      409,
      429,
      500,
      501,
      503
    ]
  },
  "rotateApiKey": {
    "method": "POST",
    "path": "/api-keys/{keyId}/rotate",
    "tag": "API keys",
    "secured": true,
    "scope": "admin",
    "quotaFree": false,
    "stability": null,
    "deprecation": null,
    "hideTryIt": false,
    "queryDefaults": {},
    "requestTypes": [
      "application/json"
    ],
    "bodyRequired": true,
    "successStatus": 200,
    "statuses": [
      200,
      400,
      401,
      403,
      404,
      413,
      415,
      429,
      500,
      501,
      503
    ]
  },
  "getHealth": {
    "method": "GET",
    "path": "/health",
    "tag": "System",
    "secured": false,
    "scope": null,
    "quotaFree": true,
    "stability": null,
    "deprecation": null,
    "hideTryIt": false,
    "queryDefaults": {},
    "requestTypes": [],
    "bodyRequired": false,
    "successStatus": 200,
    "statuses": [
      200,
      400,
      500,
      503
    ]
  }
} as const
export const rateLimits = {
  "windows": [
    {
      "name": "minute",
      "seconds": 60
    },
    {
      "name": "day",
      "seconds": 86400
    }
  ],
  "plans": {
    "Free": {
      "minute": 60,
      "day": 1000
    },
    "Pro": {
      "minute": 300,
      "day": 10000
    },
    "Business": {
      "minute": 1000,
      "day": 100000
    },
    "Enterprise": {
      "custom": true
    }
  },
  "anonymous": "Free",
  "ban": {
    "refusals": 20,
    "window": "minute",
    "seconds": 900
  }
} as const
