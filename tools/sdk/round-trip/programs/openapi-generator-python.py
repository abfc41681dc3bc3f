import os

import openapi_client
from openapi_client import CreateOrderRequest, OrderLineInput, SandboxPayRequest

configuration = openapi_client.Configuration(
    host=os.environ["BURSAR_API_URL"], username="key_test_demo", password="secret_test_demo"
)
client = openapi_client.ApiClient(configuration)
orders = openapi_client.PayOrdersApi(client)
line = OrderLineInput(component_type="TUITION_FEE", amount=1234567.89)
wanted = CreateOrderRequest(name="Asha Rao", phone="+91 98765 43210", email="asha@example.in", details=[line])
order_id = orders.create_pay_order(wanted).data.order_id
openapi_client.SandboxApi(client).sandbox_pay(order_id, SandboxPayRequest(outcome="success"))
order = orders.get_pay_order(order_id).data
print(order.status, order.details[0].amount)
