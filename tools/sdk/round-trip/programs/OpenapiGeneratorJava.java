import java.math.BigDecimal;
import java.util.Base64;
import java.util.List;
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.PayOrdersApi;
import org.openapitools.client.api.SandboxApi;
import org.openapitools.client.model.CreateOrderRequest;
import org.openapitools.client.model.OrderLineInput;
import org.openapitools.client.model.SandboxPayRequest;

class OpenapiGeneratorJava {
  public static void main(String[] args) throws Exception {
    String credentials = Base64.getEncoder().encodeToString("key_test_demo:secret_test_demo".getBytes());
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv("BURSAR_API_URL"));
    client.setRequestInterceptor(request -> request.header("Authorization", "Basic " + credentials));
    PayOrdersApi orders = new PayOrdersApi(client);
    OrderLineInput line = new OrderLineInput().componentType("TUITION_FEE").amount(1234567.89);
    CreateOrderRequest wanted =
        new CreateOrderRequest().name("Asha Rao").phone("+91 98765 43210").email("asha@example.in").details(List.of(line));
    String id = orders.createPayOrder(wanted, null).getData().getOrderId();
    SandboxPayRequest pay = new SandboxPayRequest().outcome(SandboxPayRequest.OutcomeEnum.SUCCESS);
    new SandboxApi(client).sandboxPay(id, pay, null);
    var order = orders.getPayOrder(id).getData();
    System.out.println(order.getStatus() + " " + BigDecimal.valueOf(order.getDetails().get(0).getAmount()));
  }
}
